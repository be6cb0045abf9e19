"""The files for a deployment: programs that read them find nothing wrong, and they say what the docs say."""

from __future__ import annotations

import configparser
import re
import shlex
import shutil
import subprocess
from pathlib import Path

import click
import pytest

from regauge.cli.main import cli

DEPLOY = Path(__file__).resolve().parents[2] / "deploy"
UNITS = ("regauge.service", "regauge-backup.service", "regauge-backup.timer")


def read_unit(name: str) -> configparser.ConfigParser:
    parser = configparser.ConfigParser(strict=False, interpolation=None, delimiters=("=",))
    parser.optionxform = str  # type: ignore[assignment, method-assign]
    parser.read(DEPLOY / name, encoding="utf-8")
    return parser


@pytest.mark.parametrize("name", UNITS)
def test_systemd_understands_the_units(name: str, tmp_path: Path) -> None:
    program = shutil.which("systemd-analyze")
    if program is None:
        pytest.skip("systemd-analyze is not installed")
    for unit in UNITS:
        # It looks for the program that a unit starts.
        text = (DEPLOY / unit).read_text(encoding="utf-8")
        (tmp_path / unit).write_text(text.replace("/opt/regauge/bin/regauge", "/usr/bin/true"), encoding="utf-8")
    found = subprocess.run(
        [program, "verify", "--man=no", str(tmp_path / name)], capture_output=True, text=True, check=False
    )
    mine = [line for line in found.stderr.splitlines() if "regauge" in line]
    assert mine == []


@pytest.mark.parametrize("name", UNITS[:2])
def test_what_the_units_start_are_commands_of_ours(name: str) -> None:
    words = shlex.split(read_unit(name)["Service"]["ExecStart"])[1:]
    command = cli.get_command(click.Context(cli), words[0])
    assert command is not None
    known = {option for parameter in command.params for option in parameter.opts}
    assert {word for word in words if word.startswith("--")} <= known


def test_the_server_may_end_in_peace_and_do_little_else() -> None:
    service = read_unit("regauge.service")["Service"]
    assert service["KillMode"] == "mixed"
    assert int(service["TimeoutStopSec"]) >= 15
    for name in ("NoNewPrivileges", "PrivateTmp", "ProtectHome", "RestrictSUIDSGID", "ProtectKernelTunables"):
        assert service[name] == "true"
    assert service["ProtectSystem"] == "strict"
    assert service["CapabilityBoundingSet"] == ""
    assert service["UMask"] == "0077"


def test_nginx_understands_its_part(tmp_path: Path) -> None:
    program, openssl = shutil.which("nginx"), shutil.which("openssl")
    if program is None or openssl is None:
        pytest.skip("nginx or openssl is not installed")
    key, certificate = tmp_path / "privkey.pem", tmp_path / "fullchain.pem"
    make = [openssl, "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "1", "-subj", "/CN=labels.example.org"]
    subprocess.run([*make, "-keyout", str(key), "-out", str(certificate)], check=True, capture_output=True)
    part = (DEPLOY / "nginx.conf").read_text(encoding="utf-8")
    part = part.replace("/etc/letsencrypt/live/labels.example.org", str(tmp_path))
    (tmp_path / "part.conf").write_text(part, encoding="utf-8")
    whole = f"pid {tmp_path}/pid; error_log stderr; events {{}} http {{ include {tmp_path}/part.conf; }}"
    (tmp_path / "nginx.conf").write_text(whole, encoding="utf-8")
    test = [program, "-t", "-c", str(tmp_path / "nginx.conf"), "-p", str(tmp_path)]
    found = subprocess.run(test, capture_output=True, text=True, check=False)
    assert "syntax is ok" in found.stderr, found.stderr


def test_caddy_understands_its_part() -> None:
    program = shutil.which("caddy")
    if program is None:
        pytest.skip("caddy is not installed")
    adapt = [program, "adapt", "--config", str(DEPLOY / "Caddyfile"), "--adapter", "caddyfile"]
    found = subprocess.run(adapt, capture_output=True, text=True, check=False)
    assert found.returncode == 0, found.stderr


def test_braces_are_closed_where_no_program_can_say() -> None:
    for name in ("nginx.conf", "Caddyfile"):
        text = re.sub(r"#.*", "", (DEPLOY / name).read_text(encoding="utf-8"))
        assert text.count("{") == text.count("}") > 2


@pytest.mark.parametrize("name", ["nginx.conf", "Caddyfile"])
def test_proxies_keep_metrics_inside_and_write_no_addresses_down(name: str) -> None:
    text = (DEPLOY / name).read_text(encoding="utf-8")
    assert "/metrics" in text
    assert "404" in text
    assert "access_log off" in text or "output discard" in text
    # Errors of requests are written down with the address and the whole request unless that is forbidden too.
    assert text.count("error_log /dev/null") == text.count("access_log off") > 0 or "exclude http.log.error" in text


def test_the_docs_name_every_file() -> None:
    page = (DEPLOY.parent / "docs" / "deployment.md").read_text(encoding="utf-8")
    for path in DEPLOY.iterdir():
        assert path.name in page
