// Validates SARIF files: against the official schema, and against what GitHub's code scanning asks for beyond it.
// usage: node validate.mjs FILE...
import { readFileSync } from "node:fs";
import Ajv from "ajv/dist/2020.js";
import formats from "ajv-formats";

const ajv = new Ajv({ allErrors: true, strict: false });
formats(ajv);
const valid = ajv.compile(JSON.parse(readFileSync(new URL("sarif-2.1.0.json", import.meta.url))));
let failed = false;

function complain(file, what) {
    console.log(`${file}: ${what}`);
    failed = true;
}

function checkResult(file, result, rules) {
    const where = `${file}, ${result.properties?.id}`;
    const steps = (result.codeFlows ?? []).flatMap((flow) => flow.threadFlows).flatMap((flow) => flow.locations);
    if (rules[result.ruleIndex]?.id !== result.ruleId) complain(where, "ruleIndex is of another rule");
    if (!result.locations?.length) complain(where, "no location");
    if ((result.relatedLocations ?? []).length > 1000) complain(where, "too many locations");
    if (steps.length > 10000) complain(where, "too many steps");
    for (const flow of (result.codeFlows ?? []).flatMap((flow) => flow.threadFlows)) {
        const order = flow.locations.map((step) => step.executionOrder);
        if (order.some((n, i) => i > 0 && n <= order[i - 1])) complain(where, `steps of ${flow.id} out of order`);
    }
    for (const step of [...result.locations, ...steps.map((s) => s.location)]) {
        const { uri, uriBaseId } = step.physicalLocation.artifactLocation;
        if (uri.startsWith("file:") ? uriBaseId : uriBaseId !== "SRCROOT") complain(where, `bad base of ${uri}`);
        if (/^[a-z]+:/i.test(uri) && !uri.startsWith("file:///")) complain(where, `not a path: ${uri}`);
    }
}

for (const file of process.argv.slice(2)) {
    const log = JSON.parse(readFileSync(file));
    if (!valid(log))
        for (const error of valid.errors) complain(file, `${error.instancePath} ${error.message}`);
    for (const run of log.runs) {
        if (run.results.length > 5000) complain(file, "more results than are shown");
        for (const result of run.results) checkResult(file, result, run.tool.driver.rules);
    }
}
process.exit(failed ? 1 : 0);
