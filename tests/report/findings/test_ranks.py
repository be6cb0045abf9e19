"""Which findings are told: the most important answer to each question, at most six, clear ones first."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from regauge.report.findings.ranks import MAX_FINDINGS, Question, ReportFinding, choose_findings

FINDINGS = st.builds(
    ReportFinding,
    st.sampled_from(Question),
    st.text(max_size=3),
    st.just(""),
    is_clear=st.booleans(),
    size=st.floats(-1e6, 1e6),
)


def make(question: Question, claim: str = "", *, is_clear: bool = True, size: float = 0.0) -> ReportFinding:
    return ReportFinding(question, claim, "", is_clear=is_clear, size=size)


def test_clear_findings_come_first_then_the_more_pressing_question() -> None:
    chosen = choose_findings([make(Question.EFFORT), make(Question.DROP, is_clear=False), make(Question.LIFT)])
    assert [one.question for one in chosen] == [Question.LIFT, Question.EFFORT, Question.DROP]


def test_a_question_has_one_answer_the_clear_the_larger_or_the_first() -> None:
    several = [make(Question.DROP, "a", size=2), make(Question.DROP, "b", size=-5), make(Question.DROP, "c", size=5)]
    assert [one.claim for one in choose_findings(several)] == ["b"]
    unclear = make(Question.DROP, "d", is_clear=False, size=9)
    assert [one.claim for one in choose_findings([unclear, *several])] == ["b"]


@given(st.lists(FINDINGS))
def test_no_finding_that_was_left_out_is_more_important(candidates: list[ReportFinding]) -> None:
    chosen = choose_findings(candidates)
    assert len(chosen) == min(MAX_FINDINGS, len({one.question for one in candidates}))
    assert len({one.question for one in chosen}) == len(chosen)
    assert [one.importance for one in chosen] == sorted((one.importance for one in chosen), reverse=True)
    for one in candidates:
        same = [other.importance for other in chosen if other.question is one.question]
        assert one.importance <= (same[0] if same else chosen[-1].importance)


def test_the_size_never_outweighs_the_question() -> None:
    assert make(Question.EFFORT, size=1e9).importance < make(Question.DISPUTES).importance
