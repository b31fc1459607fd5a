"""Prints the documents of a manifest, or of a chart as Helm renders it, as JSON; each is valid in every version of the API.

    preflight_kubernetes.py VERSIONS manifest FILE
    preflight_kubernetes.py VERSIONS chart DIRECTORY VALUES
"""

import json
import sys

import helm_python
import kubernetes_validate
import yaml

# Severities of Helm's remarks on a chart: 1 is information, such as a missing icon.
WARNING = 2


def rendered(path, values):
    """The manifests of a chart, without a cluster. Helm has nothing to object to it."""
    remarks = helm_python.lint(path, values, strict=True)["messages"]
    assert all(remark["severity"] < WARNING for remark in remarks), remarks
    chart = helm_python.Chart.load(path)
    chart.validate_schema(values)
    manifests = chart.render(values, name="gate", namespace="databases")
    return "\n---\n".join(text for name, text in sorted(manifests.items()) if name.endswith(".yaml"))


versions, kind, path = sys.argv[1].split(","), sys.argv[2], sys.argv[3]
text = rendered(path, json.loads(sys.argv[4])) if kind == "chart" else open(path, encoding="utf-8").read()
documents = [document for document in yaml.safe_load_all(text) if document]
for document in documents:
    for version in versions:
        kubernetes_validate.validate(document, version, strict=True)
print(json.dumps(documents))
