// Reads Heddle's reports, SARIF or JSON, into what an editor shows. Nothing in a file is trusted: what does not have the expected
// shape is left out, or refused with a sentence.

export interface Place {
  /** As the report spells it: relative to the folder of the program, or absolute. */
  file: string;
  /** From 1. */
  line: number;
  text: string;
}

/** An event of the run that shows a finding. */
export interface Step extends Place {
  order: number;
  thread: string;
  event?: number;
  /** It is of the finding itself. */
  essential: boolean;
}

export interface Finding {
  id: string;
  rule: string;
  level: 'error' | 'warning' | 'note';
  message: string;
  places: Place[];
  /** In the order of the run; empty where the report does not have it. */
  steps: Step[];
}

type Json = { [name: string]: unknown };

const object = (value: unknown): Json => (typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : {});
const list = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);
const text = (value: unknown): string => (typeof value === 'string' ? value : '');
const count = (value: unknown): number | undefined => (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined);

/** A path from a URI of SARIF; "" if that is no file. */
function pathOf(uri: string): string {
  let path = uri;
  try {
    path = decodeURIComponent(uri.replace(/^file:\/\//, ''));
  } catch {
    return '';
  }
  return /^[a-z][a-z0-9+.-]+:/i.test(uri) && !uri.startsWith('file:///') ? '' : path;
}

function placeOf(location: unknown): Place | undefined {
  const physical = object(object(location).physicalLocation);
  const file = pathOf(text(object(physical.artifactLocation).uri));
  const line = count(object(physical.region).startLine) ?? 1;
  return file ? { file, line: Math.max(1, line), text: text(object(object(location).message).text) } : undefined;
}

function stepsOf(result: Json): Step[] {
  const steps: Step[] = [];
  for (const flow of list(object(list(result.codeFlows)[0]).threadFlows)) {
    for (const item of list(object(flow).locations)) {
      const step = object(item);
      const place = placeOf(step.location);
      const order = count(step.executionOrder);
      if (place && order !== undefined) {
        steps.push({ ...place, order, thread: text(object(flow).id), event: count(object(step.properties).event), essential: step.importance === 'essential' });
      }
    }
  }
  return steps.sort((a, b) => a.order - b.order);
}

const levelOf = (value: unknown): Finding['level'] => (value === 'error' || value === 'note' ? value : 'warning');

function readSarif(log: Json): Finding[] {
  const findings: Finding[] = [];
  for (const run of list(log.runs)) {
    if (text(object(object(object(run).tool).driver).name) !== 'Heddle') continue;
    for (const item of list(object(run).results)) {
      const result = object(item);
      const places = [...list(result.locations), ...list(result.relatedLocations)].map(placeOf).filter((p): p is Place => p !== undefined);
      const suppressed = list(result.suppressions).length > 0;
      if (places.length === 0 || suppressed) continue;
      findings.push({
        id: text(object(result.properties).id) || '?',
        rule: text(result.ruleId),
        level: levelOf(result.level),
        message: text(object(result.message).text).replace(/\[((?:[^\]\\]|\\.)*)\]\(\d+\)/g, '$1').replace(/\\([[\]\\])/g, '$1'),
        places,
        steps: stepsOf(result),
      });
    }
  }
  return findings;
}

/** "src/queue.c:38 push" */
function placeOfText(location: unknown): Place | undefined {
  const found = /^(.+?):(\d+)(?: (.*))?$/.exec(text(location));
  return found ? { file: found[1], line: Math.max(1, Number(found[2])), text: found[3] ?? '' } : undefined;
}

function readJson(report: Json): Finding[] {
  const findings: Finding[] = [];
  for (const item of list(report.findings)) {
    const finding = object(item);
    const property = text(finding.property);
    const threads = list(finding.threads).map(text);
    const places = list(finding.locations)
      .map((location, i) => ({ ...placeOfText(location), thread: threads[i] }))
      .filter((p): p is Place & { thread: string } => p.file !== undefined)
      .map(({ file, line, thread, text: where }) => ({ file, line, text: [thread, where].filter(Boolean).join(', ') }));
    if (places.length === 0 || finding.suppressed) continue;
    const variable = text(finding.variable);
    findings.push({
      id: text(finding.id) || '?',
      rule: `heddle/${property}`,
      level: finding.severity === 'problem' ? 'error' : 'note',
      message: `${property}${variable && ` on ${variable}`}`,
      places,
      steps: [],
    });
  }
  return findings;
}

/** The findings of a report; throws an Error that says what is wrong. */
export function readReport(source: string): Finding[] {
  let json: unknown;
  try {
    json = JSON.parse(source);
  } catch (error) {
    throw new Error(`not JSON: ${(error as Error).message}`);
  }
  const top = object(json);
  if (top.version === '2.1.0' && Array.isArray(top.runs)) return readSarif(top);
  if (top.format === 'heddle-report' && Array.isArray(top.findings)) return readJson(top);
  throw new Error('neither a SARIF file nor a JSON report of Heddle');
}
