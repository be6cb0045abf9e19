-- A study as revision 0001 wrote it, frozen: tables in PostgreSQL's words, then rows. Never edit this file.
-- Its predictions are those of good.csv (on both test sets) and bad.csv in tests/storage/making.py.
CREATE TABLE alembic_version (
    version_num VARCHAR(32) NOT NULL,
    CONSTRAINT pk_alembic_version PRIMARY KEY (version_num)
);
CREATE TABLE events (
    id SERIAL NOT NULL,
    what VARCHAR NOT NULL,
    who VARCHAR NOT NULL,
    at VARCHAR(24) NOT NULL,
    parameters JSON NOT NULL,
    code_version VARCHAR NOT NULL,
    CONSTRAINT pk_events PRIMARY KEY (id)
);
CREATE TABLE label_sets (
    id SERIAL NOT NULL,
    name VARCHAR NOT NULL,
    version INTEGER NOT NULL,
    parent_id INTEGER,
    kind VARCHAR NOT NULL,
    unlisted VARCHAR NOT NULL,
    n_images INTEGER NOT NULL,
    n_verdicts INTEGER NOT NULL,
    n_problematic INTEGER NOT NULL,
    added_at VARCHAR(24) NOT NULL,
    provenance JSON NOT NULL,
    CONSTRAINT pk_label_sets PRIMARY KEY (id),
    CONSTRAINT uq_label_sets_name_version UNIQUE (name, version),
    CONSTRAINT fk_label_sets_parent_id_label_sets FOREIGN KEY(parent_id) REFERENCES label_sets (id)
);
CREATE TABLE studies (
    id VARCHAR(32) NOT NULL,
    created_at VARCHAR(24) NOT NULL,
    CONSTRAINT pk_studies PRIMARY KEY (id)
);
CREATE TABLE test_sets (
    id SERIAL NOT NULL,
    name VARCHAR NOT NULL,
    digest VARCHAR(64) NOT NULL,
    kind VARCHAR NOT NULL,
    root VARCHAR NOT NULL,
    n_images INTEGER NOT NULL,
    added_at VARCHAR(24) NOT NULL,
    provenance JSON NOT NULL,
    CONSTRAINT pk_test_sets PRIMARY KEY (id),
    CONSTRAINT uq_test_sets_name UNIQUE (name)
);
CREATE TABLE evaluations (
    id SERIAL NOT NULL,
    test_set_id INTEGER NOT NULL,
    inputs JSON NOT NULL,
    settings JSON NOT NULL,
    notes JSON NOT NULL,
    warnings JSON NOT NULL,
    code_version VARCHAR NOT NULL,
    created_at VARCHAR(24) NOT NULL,
    CONSTRAINT pk_evaluations PRIMARY KEY (id),
    CONSTRAINT fk_evaluations_test_set_id_test_sets FOREIGN KEY(test_set_id) REFERENCES test_sets (id)
);
CREATE TABLE images (
    test_set_id INTEGER NOT NULL,
    row INTEGER NOT NULL,
    image_id VARCHAR NOT NULL,
    label INTEGER NOT NULL,
    path VARCHAR NOT NULL,
    "offset" BIGINT,
    n_bytes BIGINT,
    sha256 VARCHAR(64),
    CONSTRAINT pk_images PRIMARY KEY (test_set_id, row),
    CONSTRAINT uq_images_test_set_id_image_id UNIQUE (test_set_id, image_id),
    CONSTRAINT fk_images_test_set_id_test_sets FOREIGN KEY(test_set_id) REFERENCES test_sets (id)
);
CREATE TABLE label_images (
    label_set_id INTEGER NOT NULL,
    row INTEGER NOT NULL,
    image_id VARCHAR NOT NULL,
    is_problematic BOOLEAN NOT NULL,
    main_label INTEGER NOT NULL,
    CONSTRAINT pk_label_images PRIMARY KEY (label_set_id, row),
    CONSTRAINT uq_label_images_label_set_id_image_id UNIQUE (label_set_id, image_id),
    CONSTRAINT fk_label_images_label_set_id_label_sets FOREIGN KEY(label_set_id) REFERENCES label_sets (id)
);
CREATE TABLE predictions (
    id SERIAL NOT NULL,
    test_set_id INTEGER NOT NULL,
    participant VARCHAR NOT NULL,
    test_set_digest VARCHAR(64) NOT NULL,
    k INTEGER NOT NULL,
    n_answered INTEGER NOT NULL,
    has_scores BOOLEAN NOT NULL,
    sha256 VARCHAR(64) NOT NULL,
    scores_sha256 VARCHAR(64),
    added_at VARCHAR(24) NOT NULL,
    provenance JSON NOT NULL,
    CONSTRAINT pk_predictions PRIMARY KEY (id),
    CONSTRAINT uq_predictions_test_set_id_participant UNIQUE (test_set_id, participant),
    CONSTRAINT fk_predictions_test_set_id_test_sets FOREIGN KEY(test_set_id) REFERENCES test_sets (id)
);
CREATE TABLE verdicts (
    label_set_id INTEGER NOT NULL,
    place INTEGER NOT NULL,
    row INTEGER NOT NULL,
    class_index INTEGER NOT NULL,
    verdict SMALLINT NOT NULL,
    CONSTRAINT pk_verdicts PRIMARY KEY (label_set_id, place),
    CONSTRAINT fk_verdicts_label_set_id_label_sets FOREIGN KEY(label_set_id) REFERENCES label_sets (id)
);
CREATE TABLE evaluation_labels (
    evaluation_id INTEGER NOT NULL,
    label_set_id INTEGER NOT NULL,
    CONSTRAINT pk_evaluation_labels PRIMARY KEY (evaluation_id, label_set_id),
    CONSTRAINT fk_evaluation_labels_evaluation_id_evaluations FOREIGN KEY(evaluation_id) REFERENCES evaluations (id),
    CONSTRAINT fk_evaluation_labels_label_set_id_label_sets FOREIGN KEY(label_set_id) REFERENCES label_sets (id)
);
CREATE TABLE scores (
    evaluation_id INTEGER NOT NULL,
    row INTEGER NOT NULL,
    participant VARCHAR,
    test_set VARCHAR,
    labels VARCHAR,
    metric VARCHAR,
    subset VARCHAR,
    n BIGINT,
    n_correct BIGINT,
    value DOUBLE PRECISION,
    low DOUBLE PRECISION,
    high DOUBLE PRECISION,
    interval VARCHAR,
    lower_bound DOUBLE PRECISION,
    upper_bound DOUBLE PRECISION,
    n_unjudged BIGINT,
    against VARCHAR,
    n_both BIGINT,
    n_only_participant BIGINT,
    n_only_against BIGINT,
    difference DOUBLE PRECISION,
    difference_low DOUBLE PRECISION,
    difference_high DOUBLE PRECISION,
    difference_interval VARCHAR,
    difference_lower_bound DOUBLE PRECISION,
    difference_upper_bound DOUBLE PRECISION,
    p_mcnemar DOUBLE PRECISION,
    p_holm DOUBLE PRECISION,
    CONSTRAINT pk_scores PRIMARY KEY (evaluation_id, row),
    CONSTRAINT fk_scores_evaluation_id_evaluations FOREIGN KEY(evaluation_id) REFERENCES evaluations (id)
);
INSERT INTO alembic_version (version_num) VALUES ('0001');
INSERT INTO studies (id, created_at) VALUES ('5f82c2d9cfeb0fa321d7d982f8bd1045','2026-01-31T12:00:00.000Z');
INSERT INTO test_sets (name, digest, kind, root, n_images, added_at, provenance) VALUES ('truth','c3601aeace948f36cb28514c3d1e7a1ded2e37b6f67a2a643377f71dc5839743','table','/data',4,'2026-01-31T12:00:00.000Z','{"path": "/data/truth.csv", "notes": ["truth.csv: dataset labels of 4 images, without image files."]}');
INSERT INTO test_sets (name, digest, kind, root, n_images, added_at, provenance) VALUES ('new','c3601aeace948f36cb28514c3d1e7a1ded2e37b6f67a2a643377f71dc5839743','table','/data',4,'2026-01-31T12:00:00.000Z','{"path": "/data/truth.csv", "notes": ["truth.csv: dataset labels of 4 images, without image files."]}');
INSERT INTO images (test_set_id, row, image_id, label, path, "offset", n_bytes, sha256) VALUES (1,0,'a',0,'',NULL,NULL,NULL);
INSERT INTO images (test_set_id, row, image_id, label, path, "offset", n_bytes, sha256) VALUES (1,1,'b',1,'',NULL,NULL,NULL);
INSERT INTO images (test_set_id, row, image_id, label, path, "offset", n_bytes, sha256) VALUES (1,2,'c',2,'',NULL,NULL,NULL);
INSERT INTO images (test_set_id, row, image_id, label, path, "offset", n_bytes, sha256) VALUES (1,3,'d',3,'',NULL,NULL,NULL);
INSERT INTO images (test_set_id, row, image_id, label, path, "offset", n_bytes, sha256) VALUES (2,0,'a',0,'',NULL,NULL,NULL);
INSERT INTO images (test_set_id, row, image_id, label, path, "offset", n_bytes, sha256) VALUES (2,1,'b',1,'',NULL,NULL,NULL);
INSERT INTO images (test_set_id, row, image_id, label, path, "offset", n_bytes, sha256) VALUES (2,2,'c',2,'',NULL,NULL,NULL);
INSERT INTO images (test_set_id, row, image_id, label, path, "offset", n_bytes, sha256) VALUES (2,3,'d',3,'',NULL,NULL,NULL);
INSERT INTO predictions (test_set_id, participant, test_set_digest, k, n_answered, has_scores, sha256, scores_sha256, added_at, provenance) VALUES (1,'good','c3601aeace948f36cb28514c3d1e7a1ded2e37b6f67a2a643377f71dc5839743',1,4,false,'587d3dcff063d56373e3a4371c0a0ba96e671b51502870e904380e7778b6b5ba',NULL,'2026-01-31T12:00:00.000Z','{"file": "/data/good.csv", "sha256": "517cf25cf0a7fbe08b7a9d4d77ba430ebe00c809f58911c25efae0c6ab58861e"}');
INSERT INTO predictions (test_set_id, participant, test_set_digest, k, n_answered, has_scores, sha256, scores_sha256, added_at, provenance) VALUES (1,'bad','c3601aeace948f36cb28514c3d1e7a1ded2e37b6f67a2a643377f71dc5839743',5,4,true,'2e48a2047bfae2eb90801f272bc41f7ec3629fcafc234625b4db76d9a66cbca3','2ee314aaa20246b111a89c60ef729f66d3f40c7ec71b1abe89f0ec205c3da83d','2026-01-31T12:00:00.000Z','{"file": "/data/bad.csv", "sha256": "0e3fbded0c205f01a88711beadbdc13d40f8c94e193ce6b638c97767529db643"}');
INSERT INTO predictions (test_set_id, participant, test_set_digest, k, n_answered, has_scores, sha256, scores_sha256, added_at, provenance) VALUES (2,'good','c3601aeace948f36cb28514c3d1e7a1ded2e37b6f67a2a643377f71dc5839743',1,4,false,'587d3dcff063d56373e3a4371c0a0ba96e671b51502870e904380e7778b6b5ba',NULL,'2026-01-31T12:00:00.000Z','{"file": "/data/good.csv", "sha256": "517cf25cf0a7fbe08b7a9d4d77ba430ebe00c809f58911c25efae0c6ab58861e"}');
INSERT INTO label_sets (name, version, parent_id, kind, unlisted, n_images, n_verdicts, n_problematic, added_at, provenance) VALUES ('verdicts',1,NULL,'multilabel','unjudged',3,5,1,'2026-01-31T12:00:00.000Z','{"path": "/data/verdicts.jsonl", "notes": ["verdicts.jsonl: 5 verdicts on 3 images, 1 of them problematic and left out; a class that an image does not list is unjudged."]}');
INSERT INTO label_images (label_set_id, row, image_id, is_problematic, main_label) VALUES (1,0,'a',false,-1);
INSERT INTO label_images (label_set_id, row, image_id, is_problematic, main_label) VALUES (1,1,'b',false,1);
INSERT INTO label_images (label_set_id, row, image_id, is_problematic, main_label) VALUES (1,2,'c',true,-1);
INSERT INTO verdicts (label_set_id, place, row, class_index, verdict) VALUES (1,0,0,0,2);
INSERT INTO verdicts (label_set_id, place, row, class_index, verdict) VALUES (1,1,0,1,2);
INSERT INTO verdicts (label_set_id, place, row, class_index, verdict) VALUES (1,2,0,2,0);
INSERT INTO verdicts (label_set_id, place, row, class_index, verdict) VALUES (1,3,1,1,1);
INSERT INTO verdicts (label_set_id, place, row, class_index, verdict) VALUES (1,4,2,2,0);
INSERT INTO evaluations (test_set_id, inputs, settings, notes, warnings, code_version, created_at) VALUES (1,'{"test_set_digest": "c3601aeace948f36cb28514c3d1e7a1ded2e37b6f67a2a643377f71dc5839743", "predictions": {"good": "587d3dcff063d56373e3a4371c0a0ba96e671b51502870e904380e7778b6b5ba"}, "by": []}','{"against": null, "allow_missing": false, "level": 0.95, "seed": 0, "n_bootstrap": 100}','["6 of 10 classes have no image in truth; balanced means leave them out.", "good gives fewer than five answers for some images; top5 is absent."]','[]','0.1.0','2026-01-31T12:00:00.000Z');
INSERT INTO evaluation_labels (evaluation_id, label_set_id) VALUES (1,1);
INSERT INTO scores (evaluation_id, row, participant, test_set, labels, metric, subset, n, n_correct, value, low, high, interval, lower_bound, upper_bound, n_unjudged) VALUES (1,0,'good','truth','dataset','top1','all',4,4,1.0,0.3976353643835254,1.0,'clopper-pearson',1.0,1.0,0);
INSERT INTO scores (evaluation_id, row, participant, test_set, labels, metric, subset, n, n_correct, value, low, high, interval, lower_bound, upper_bound, n_unjudged) VALUES (1,1,'good','truth','dataset','top1_balanced','all',4,4,1.0,1.0,1.0,'stratified bootstrap',1.0,1.0,0);
INSERT INTO scores (evaluation_id, row, participant, test_set, labels, metric, subset, n, n_correct, value, low, high, interval, lower_bound, upper_bound, n_unjudged) VALUES (1,2,'good','truth','verdicts@1','multilabel_lenient','all',2,2,1.0,0.15811388300841903,1.0,'clopper-pearson',1.0,1.0,0);
INSERT INTO scores (evaluation_id, row, participant, test_set, labels, metric, subset, n, n_correct, value, low, high, interval, lower_bound, upper_bound, n_unjudged) VALUES (1,3,'good','truth','verdicts@1','multilabel_lenient_balanced','all',2,2,1.0,1.0,1.0,'stratified bootstrap',1.0,1.0,0);
INSERT INTO scores (evaluation_id, row, participant, test_set, labels, metric, subset, n, n_correct, value, low, high, interval, lower_bound, upper_bound, n_unjudged) VALUES (1,4,'good','truth','verdicts@1','multilabel_strict','all',2,1,0.5,0.01257911709342506,0.9874208829065749,'clopper-pearson',0.5,0.5,0);
INSERT INTO scores (evaluation_id, row, participant, test_set, labels, metric, subset, n, n_correct, value, low, high, interval, lower_bound, upper_bound, n_unjudged) VALUES (1,5,'good','truth','verdicts@1','multilabel_strict_balanced','all',2,1,0.5,0.0,1.0,'stratified bootstrap',0.5,0.5,0);
INSERT INTO scores (evaluation_id, row, participant, test_set, labels, metric, subset, n, n_correct, value, low, high, interval, lower_bound, upper_bound, n_unjudged) VALUES (1,6,'good','truth','verdicts@1','main_label','all',1,1,1.0,0.025000000000000022,1.0,'clopper-pearson',1.0,1.0,0);
INSERT INTO scores (evaluation_id, row, participant, test_set, labels, metric, subset, n, n_correct, value, low, high, interval, lower_bound, upper_bound, n_unjudged) VALUES (1,7,'good','truth','verdicts@1','main_label_balanced','all',1,1,1.0,1.0,1.0,'stratified bootstrap',1.0,1.0,0);
INSERT INTO events (what, who, at, parameters, code_version) VALUES ('init','tester','2026-01-31T12:00:00.000Z','{"taxonomy": "cifar-10", "n_classes": 10}','0.1.0');
INSERT INTO events (what, who, at, parameters, code_version) VALUES ('testset add','tester','2026-01-31T12:00:00.000Z','{"name": "truth", "path": "/data/truth.csv", "digest": "c3601aeace948f36cb28514c3d1e7a1ded2e37b6f67a2a643377f71dc5839743"}','0.1.0');
INSERT INTO events (what, who, at, parameters, code_version) VALUES ('predictions add','tester','2026-01-31T12:00:00.000Z','{"test_set": "truth", "predictions": {"good": "587d3dcff063d56373e3a4371c0a0ba96e671b51502870e904380e7778b6b5ba", "bad": "2e48a2047bfae2eb90801f272bc41f7ec3629fcafc234625b4db76d9a66cbca3"}, "replace": false}','0.1.0');
INSERT INTO events (what, who, at, parameters, code_version) VALUES ('labels add','tester','2026-01-31T12:00:00.000Z','{"labels": "verdicts@1", "path": "/data/verdicts.jsonl"}','0.1.0');
INSERT INTO events (what, who, at, parameters, code_version) VALUES ('testset add','tester','2026-01-31T12:00:00.000Z','{"name": "new", "path": "/data/truth.csv", "digest": "c3601aeace948f36cb28514c3d1e7a1ded2e37b6f67a2a643377f71dc5839743"}','0.1.0');
INSERT INTO events (what, who, at, parameters, code_version) VALUES ('predictions add','tester','2026-01-31T12:00:00.000Z','{"test_set": "new", "predictions": {"good": "587d3dcff063d56373e3a4371c0a0ba96e671b51502870e904380e7778b6b5ba"}, "replace": false}','0.1.0');
INSERT INTO events (what, who, at, parameters, code_version) VALUES ('evaluate','tester','2026-01-31T12:00:00.000Z','{"evaluation": 1, "test_set": "truth", "labels": ["verdicts@1"], "n_participants": 1}','0.1.0');
