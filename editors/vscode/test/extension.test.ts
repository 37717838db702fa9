// The extension against a stand-in for the editor and, where it is built, the real program.
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { rowsOf } from '../src/lanes';
import { complaint, Message, ReplayAdapter, replayCommand } from '../src/replay';
import { readReport } from '../src/report';
import { answers, commands, install, told, vscode } from './host';

const HEDDLE = process.env.HEDDLE ?? 'heddle';
const folder = mkdtempSync(join(tmpdir(), 'heddle-vscode-'));
const TRACE = `main|fork(T1)|bank.c:30 main
main|fork(T2)|bank.c:31 main
T1|acq(alice)|bank.c:10 transfer
T1|acq(bob)|bank.c:11 transfer
T1|w(log=1)|bank.c:15 transfer
T1|rel(bob)|bank.c:13 transfer
T1|rel(alice)|bank.c:14 transfer
T2|acq(bob)|bank.c:20 audit
T2|acq(alice)|bank.c:21 audit
T2|rel(alice)|bank.c:24 audit
T2|rel(bob)|bank.c:25 audit
T2|w(log=2)|bank.c:26 audit
`;

before(() => {
  mkdirSync(join(folder, 'heddle-out'));
  writeFileSync(join(folder, 'bank.c'), '\n'.repeat(40));
  writeFileSync(join(folder, 'bank.std'), TRACE);
  for (const format of ['sarif', 'json']) {
    const { status, stderr } = spawnSync(HEDDLE, ['check', `--format=${format}`, '-o', `heddle-out/report.${format}`, 'bank.std'], { cwd: folder, encoding: 'utf8' });
    assert.equal(status, 2, stderr);
  }
  install();
  vscode.workspace.workspaceFolders = [{ uri: vscode.Uri.file(folder) }];
  answers.settings.path = HEDDLE;
});
after(() => rmSync(folder, { recursive: true }));

const report = (format: string) => join(folder, `heddle-out/report.${format}`);
const settle = () => new Promise((resolve) => { setTimeout(resolve, 10); });

test('SARIF: findings with their places and runs', () => {
  const findings = readReport(readFileSync(report('sarif'), 'utf8'));
  const deadlock = findings.find((f) => f.rule === 'heddle/deadlock');
  assert.ok(deadlock && deadlock.level === 'error' && deadlock.id === 'L1');
  assert.deepEqual(deadlock.steps.map((s) => s.order), [...deadlock.steps.map((s) => s.order)].sort((a, b) => a - b));
  assert.deepEqual(new Set(deadlock.steps.map((s) => s.thread)), new Set(['T1', 'T2']));
  assert.ok(deadlock.steps.every((s) => s.file === 'bank.c' && s.line >= 10));
  assert.ok(!findings.some((f) => /\]\(\d/.test(f.message)), 'links become text');
});

test('JSON: the same findings, without runs', () => {
  const json = readReport(readFileSync(report('json'), 'utf8'));
  const sarif = readReport(readFileSync(report('sarif'), 'utf8'));
  assert.deepEqual(json.map((f) => f.id).sort(), sarif.map((f) => f.id).sort());
  assert.ok(json.every((f) => f.steps.length === 0 && f.places[0].file === 'bank.c'));
});

test('files of others and broken ones are refused or skipped', () => {
  assert.throws(() => readReport('{'), /not JSON/);
  assert.throws(() => readReport('[]'), /neither a SARIF file nor/);
  assert.deepEqual(readReport('{"version":"2.1.0","runs":[{"tool":{"driver":{"name":"Other"}},"results":[{}]}]}'), []);
  assert.deepEqual(readReport('{"version":"2.1.0","runs":[{"tool":{"driver":{"name":"Heddle"}},"results":[{"locations":7},null,{"locations":[{"physicalLocation":{"artifactLocation":{"uri":"http://x/a.c"}}}]}]}]}'), []);
  assert.deepEqual(readReport('{"format":"heddle-report","findings":[{"locations":[null,5]},{}]}'), []);
});

test('lanes: a column a thread, from its first step to its last', () => {
  const steps = [['A', false], ['B', false], ['A', true], ['B', false]].map(([thread, essential], order) => ({ file: 'a.c', line: 1, text: '', order, thread: thread as string, essential: essential as boolean }));
  assert.deepEqual(rowsOf(steps).map((row) => row.lanes), ['● ·', '│ ●', '◆ │', '· ●']);
});

test('the editor: problems, their related places, the run step by step', async () => {
  const { activate } = await import('../src/extension');
  activate({ subscriptions: [], workspaceState: { get: () => undefined, update: async () => {} } } as never);
  await settle();
  const [file] = [...told.problems.keys()];
  assert.equal(file, join(folder, 'bank.c'));
  const deadlock = told.problems.get(file)!.find((d) => d.code === 'L1');
  assert.equal(deadlock.severity, vscode.DiagnosticSeverity.Error);
  assert.ok(deadlock.relatedInformation.length > 0);
  const [action] = told.actions.provideCodeActions(undefined, undefined, { diagnostics: [deadlock] });
  await commands.get(action.command.command)!(...action.command.arguments);
  assert.equal(told.context['heddle.running'], true);
  const rows = told.provider.getChildren();
  assert.match(told.provider.getTreeItem(rows[0]).label, /^● ·  T1 takes alice/);
  assert.match(told.tree.message, /^L1: .*\nLanes: T1, T2$/);
  const first = told.shown.at(-1);
  assert.equal(first.options.selection.a, rows[0].step.line - 1);
  await commands.get('heddle.nextStep')!();
  assert.equal(told.shown.at(-1).options.selection.a, rows[1].step.line - 1);
  assert.match(told.marks[0].renderOptions.after.contentText, new RegExp(`^  2/${rows.length} `));
  await commands.get('heddle.previousStep')!();
  await commands.get('heddle.previousStep')!();
  assert.match(told.marks[0].renderOptions.after.contentText, /^  1\//);
  for (const row of rows) assert.ok(told.provider.getTreeItem(row).description.startsWith('bank.c:'));
});

test('a JSON report gets its runs from the program; without it, problems only', async () => {
  await commands.get('heddle.open')!(report('json'));
  await commands.get('heddle.showRun')!('L1');
  assert.ok(told.provider.getChildren().length >= 2);
  answers.settings.path = '/nonexistent/heddle';
  await commands.get('heddle.open')!(report('json'));
  assert.ok(told.problems.size > 0);
  await commands.get('heddle.showRun')!('L1');
  assert.match(told.notes.at(-1)!, /no run for L1/);
  answers.settings.path = HEDDLE;
});

test('a report that changes is read again; a broken one is an error', async () => {
  await commands.get('heddle.open')!(report('sarif'));
  const before = [...told.problems.values()].flat().length;
  writeFileSync(report('sarif'), readFileSync(report('sarif'), 'utf8').replace(/"L1"/g, '"L9"'));
  told.watchers[0].fire(vscode.Uri.file(report('sarif')));
  await settle();
  assert.ok([...told.problems.values()].flat().some((d) => d.code === 'L9'));
  assert.equal([...told.problems.values()].flat().length, before);
  writeFileSync(join(folder, 'broken.sarif'), '{');
  await commands.get('heddle.open')!(join(folder, 'broken.sarif'));
  assert.match(told.errors.at(-1)!, /broken.sarif: not JSON/);
  await commands.get('heddle.close')!();
  assert.equal(told.problems.size, 0);
});

test('replay in gdb: a debug session whose adapter opens a terminal', async () => {
  await commands.get('heddle.open')!(report('json'));
  answers.pick = (items) => items.find((item: { label: string }) => item.label.startsWith('L1'));
  await commands.get('heddle.replay')!();
  const configuration = told.sessions.at(-1);
  assert.deepEqual([configuration.type, configuration.finding, configuration.program, configuration.args], ['heddle', 'L1', 'program', ['1', '2']]);
  assert.equal(configuration.report, report('json'));
  const said: Message[] = [];
  const { implementation } = told.factory.createDebugAdapterDescriptor();
  implementation.onDidSendMessage((message: Message) => said.push(message));
  implementation.handleMessage({ seq: 1, type: 'request', command: 'initialize' });
  implementation.handleMessage({ seq: 2, type: 'request', command: 'launch', arguments: configuration });
  assert.deepEqual(said.map((m) => m.command ?? m.event), ['initialize', 'initialized', 'launch', 'runInTerminal']);
  assert.deepEqual((said[3].arguments as { args: string[] }).args, [HEDDLE, 'replay', '--gdb', report('json'), 'L1', '--', 'program', '1', '2']);
  implementation.handleMessage({ seq: 3, type: 'response', command: 'runInTerminal', success: true });
  assert.equal(said.at(-1)!.event, 'terminated');
});

test('a configuration that lacks something is refused with a sentence', () => {
  assert.match(complaint({ report: 'r', finding: 'R1' })!, /needs "program"/);
  assert.match(complaint({ report: 'r', finding: 'all', program: 'p' })!, /not a finding/);
  assert.match(complaint({ report: 'r', finding: 'R1', program: 'p', args: 'x' as never })!, /list of words/);
  assert.match(complaint({ report: 'r', finding: 'R1', program: 'p', to: -1 })!, /number of the trace/);
  assert.equal(complaint({ report: 'r', finding: 'R1', program: 'p', to: 7 }), undefined);
  const said: Message[] = [];
  new ReplayAdapter('heddle', (message) => said.push(message)).handle({ seq: 1, type: 'request', command: 'launch', arguments: {} });
  assert.deepEqual(said.map((m) => [m.success, m.event]), [[false, undefined], [undefined, 'terminated']]);
});

test('the program knows the options that the command line has', () => {
  const words = replayCommand('heddle', { report: 'r.json', finding: 'R1', program: './p', to: 3 });
  assert.deepEqual(words, ['heddle', 'replay', '--gdb', '--to=3', 'r.json', 'R1', '--', './p']);
  const help = execFileSync(HEDDLE, ['replay', '--help'], { encoding: 'utf8' });
  for (const option of ['--gdb', '--to']) assert.ok(help.includes(option));
});

test('the manifest declares every command that the extension has', () => {
  const manifest = JSON.parse(readFileSync(join(__dirname, '../../package.json'), 'utf8'));
  const declared = manifest.contributes.commands.map((c: { command: string }) => c.command);
  const internal = ['heddle.goToStep'];
  assert.deepEqual([...commands.keys()].sort(), [...declared, ...internal].sort());
});
