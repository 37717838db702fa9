// The report inside the page, with its tables turned into what the views ask for.

/** A name for a file that is short and still tells it from the others. */
function shortNames(files) {
  const parts = files.map((file) => file.name.split('/').filter(Boolean));
  return parts.map((own, i) => {
    for (let length = 1; length <= own.length; length++) {
      const tail = own.slice(-length).join('/');
      if (parts.every((other, j) => j === i || other.slice(-length).join('/') !== tail)) return tail;
    }
    return files[i].name;
  });
}

function readEvents(raw) {
  const events = new Map();
  for (const [number, kind, thread, place, about, value, stack] of raw.events)
    events.set(number, { number, kind: raw.kinds[kind][0], kindIndex: kind, thread, place, about, value: value ?? undefined, stack: stack || 0 });
  return events;
}

function readPlace([text, file, line, fn], files) {
  const short = file === undefined ? text : `${files[file].short}:${line}`;
  return { text, file: file === undefined ? null : files[file], line, fn, short };
}

function readPlaces(raw, files) {
  return new Map(Object.entries(raw.places).map(([id, place]) => [Number(id), readPlace(place, files)]));
}

/** By number: where its innermost call was made, and the number of the rest. */
function readStacks(raw, files) {
  return new Map(Object.entries(raw.stacks || {}).map(([id, [rest, ...place]]) => [Number(id), { rest, place: readPlace(place, files) }]));
}

function readFiles(raw) {
  const short = shortNames(raw.sources);
  return raw.sources.map((source, i) => {
    const lines = new Map();
    for (const [first, ...texts] of source.lines || [])
      texts.forEach((text, k) => lines.set(first + k, text));
    return { name: source.name, short: short[i], language: source.language, newer: !!source.newer, outside: !!source.outside, lines };
  });
}

/** Paths in sentences get their short names. */
function shortener(files) {
  const long = files.filter((f) => f.short !== f.name).sort((a, b) => b.name.length - a.name.length);
  return (text) => {
    let out = text;
    for (const file of long) if (out.includes(file.name)) out = out.split(file.name).join(file.short);
    return out;
  };
}

export function readReport(raw) {
  const files = readFiles(raw);
  const events = readEvents(raw);
  const places = readPlaces(raw, files);
  const shorten = shortener(files);
  const names = new Map(Object.entries(raw.threads).map(([id, name]) => [Number(id), name]));
  const report = { ...raw, files, events, places, stacks: readStacks(raw, files), threads: names, shorten };

  const prepare = (decided) => (finding) => {
    const property = raw.properties[finding.property];
    const where = [];
    for (const number of finding.events) {
      const event = events.get(number);
      const place = event && places.get(event.place);
      if (place && !where.includes(place.short)) where.push(place.short);
    }
    const text = [finding.id, finding.title, property.name, finding.variable, finding.outcome, finding.fingerprint,
      ...finding.events.map((e) => places.get(events.get(e)?.place)?.text)];
    return { ...finding, decided, propertyName: property.name, where, haystack: text.filter(Boolean).join('\n').toLowerCase() };
  };
  report.found = raw.findings.list.map(prepare(true));
  report.open = raw.undecided.list.map(prepare(false));
  report.all = [...report.found, ...report.open];
  report.problems = report.all.filter((finding) => finding.problem).length;
  return report;
}

/** "reads counter = 0": what a thread does at an event; the value is the event's unless another is given. */
export function describe(report, event, value = event.value) {
  const [, verb, rest] = report.kinds[event.kindIndex];
  return { verb: verb.trimEnd(), about: event.about, value: value === '' ? '?' : value, rest };
}

export function sentence(report, event, value) {
  const { verb, about, value: shown, rest } = describe(report, event, value);
  return `${verb}${about ? ` ${about}` : ''}${shown === undefined ? '' : ` = ${shown}`}${rest}`;
}

/** The places that the function of an event was called from, the innermost first. */
export function callersOf(report, event) {
  const callers = [];
  for (let stack = report.stacks.get(event.stack); stack; stack = report.stacks.get(stack.rest)) callers.push(stack.place);
  return callers;
}

export const grouped = (number) => number.toLocaleString('en-US');
export const plural = (count, noun) => `${grouped(count)} ${noun}${count === 1 ? '' : 's'}`;
