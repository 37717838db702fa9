// The extension: a report's findings as problems, the run that shows one step by step, and its replay in gdb.
import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, isAbsolute, join } from 'node:path';
import * as vscode from 'vscode';
import { Row, rowsOf, threadsOf } from './lanes';
import { ReplayAdapter, ReplayConfiguration } from './replay';
import { Finding, Place, readReport } from './report';

const SEVERITIES = { error: vscode.DiagnosticSeverity.Error, warning: vscode.DiagnosticSeverity.Warning, note: vscode.DiagnosticSeverity.Information };
const USUAL = ['heddle-out/report.sarif', 'heddle-out/report.json'];

let path = ''; // of the report that is open
let findings: Finding[] = [];
let problems: vscode.DiagnosticCollection;
let run: RunView;

const heddleProgram = () => vscode.workspace.getConfiguration('heddle').get<string>('path') || 'heddle';

/** The file of a place: paths in a report are relative to where the program was built, which is the report's folder or above. */
function uriOf(place: Place): vscode.Uri {
  if (isAbsolute(place.file)) return vscode.Uri.file(place.file);
  const roots = [...(vscode.workspace.workspaceFolders ?? []).map((folder) => folder.uri.fsPath), dirname(path), dirname(dirname(path))];
  const root = roots.find((folder) => existsSync(join(folder, place.file))) ?? roots[0];
  return vscode.Uri.file(join(root, place.file));
}

const rangeOf = (place: Place) => new vscode.Range(place.line - 1, 0, place.line - 1, Number.MAX_SAFE_INTEGER);

function showProblems(): void {
  const byFile = new Map<string, { uri: vscode.Uri; list: vscode.Diagnostic[] }>();
  for (const finding of findings) {
    const uri = uriOf(finding.places[0]);
    const diagnostic = new vscode.Diagnostic(rangeOf(finding.places[0]), finding.message, SEVERITIES[finding.level]);
    diagnostic.source = 'heddle';
    diagnostic.code = finding.id;
    diagnostic.relatedInformation = finding.places.slice(1).map((place) => new vscode.DiagnosticRelatedInformation(new vscode.Location(uriOf(place), rangeOf(place)), place.text || 'see'));
    const entry = byFile.get(uri.toString()) ?? { uri, list: [] };
    entry.list.push(diagnostic);
    byFile.set(uri.toString(), entry);
  }
  problems.clear();
  for (const { uri, list } of byFile.values()) problems.set(uri, list);
}

/** A JSON report has no steps with places; the program writes it as SARIF, which does. It looks for the trace beside the report, or
 * from where it was recorded: a folder of the workspace, if any. */
async function convert(json: string): Promise<string | undefined> {
  const folders = [...(vscode.workspace.workspaceFolders ?? []).map((folder) => folder.uri.fsPath), dirname(json)];
  for (const cwd of folders) {
    const written = await new Promise<string | undefined>((resolve) => {
      execFile(heddleProgram(), ['report', '--format=sarif', json], { maxBuffer: 1 << 28, cwd }, (error, stdout) => resolve(error ? undefined : stdout));
    });
    if (written?.includes('"codeFlows"')) return written;
  }
  return undefined;
}

async function openReport(file: string): Promise<void> {
  try {
    let text = readFileSync(file, 'utf8');
    if (/^\s*\{\s*"format"\s*:\s*"heddle-report"/.test(text)) text = (await convert(file)) ?? text;
    const read = readReport(text);
    path = file;
    findings = read;
  } catch (error) {
    vscode.window.showErrorMessage(`Heddle: ${file}: ${(error as Error).message}`);
    return;
  }
  run.show(undefined);
  showProblems();
}

function closeReport(): void {
  findings = [];
  problems.clear();
  run.show(undefined);
}

/** The run that shows a finding: rows in a tree, the current one marked in its file. */
class RunView implements vscode.TreeDataProvider<Row> {
  private readonly changed = new vscode.EventEmitter<void>();
  readonly onDidChangeTreeData = this.changed.event;
  readonly tree = vscode.window.createTreeView('heddle.run', { treeDataProvider: this });
  private readonly mark = vscode.window.createTextEditorDecorationType({ isWholeLine: true, backgroundColor: new vscode.ThemeColor('editor.stackFrameHighlightBackground') });
  finding: Finding | undefined;
  rows: Row[] = [];
  at = 0;

  show(finding: Finding | undefined): void {
    this.finding = finding;
    this.rows = finding ? rowsOf(finding.steps) : [];
    this.at = 0;
    this.tree.message = finding ? `${finding.id}: ${finding.message}\nLanes: ${threadsOf(finding.steps).join(', ')}` : undefined;
    void vscode.commands.executeCommand('setContext', 'heddle.running', this.rows.length > 0);
    for (const editor of vscode.window.visibleTextEditors) editor.setDecorations(this.mark, []);
    this.changed.fire();
  }

  /** Goes to a step: its line is shown, with what the thread does there. */
  async go(to: number): Promise<void> {
    if (this.rows.length === 0) return;
    this.at = Math.max(0, Math.min(this.rows.length - 1, to));
    const row = this.rows[this.at];
    void this.tree.reveal(row, { select: true, focus: false });
    const document = await vscode.workspace.openTextDocument(uriOf(row.step));
    const editor = await vscode.window.showTextDocument(document, { preserveFocus: true, preview: true, selection: new vscode.Range(row.step.line - 1, 0, row.step.line - 1, 0) });
    for (const other of vscode.window.visibleTextEditors) if (other !== editor) other.setDecorations(this.mark, []);
    const after = { contentText: `  ${this.at + 1}/${this.rows.length} ${row.step.text}`, color: new vscode.ThemeColor('editorCodeLens.foreground') };
    editor.setDecorations(this.mark, [{ range: rangeOf(row.step), renderOptions: { after } }]);
    editor.revealRange(rangeOf(row.step), vscode.TextEditorRevealType.InCenterIfOutsideViewport);
  }

  getTreeItem(row: Row): vscode.TreeItem {
    const item = new vscode.TreeItem(`${row.lanes}  ${row.step.text}`);
    item.description = `${row.step.file}:${row.step.line}`;
    item.tooltip = `${row.step.thread}, step ${row.step.order} of the run${row.step.event ? `, event ${row.step.event} of the trace` : ''}`;
    item.command = { command: 'heddle.goToStep', title: 'Go', arguments: [this.rows.indexOf(row)] };
    return item;
  }

  getChildren(row?: Row): Row[] {
    return row ? [] : this.rows;
  }

  getParent(): undefined {
    return undefined;
  }
}

async function chooseFinding(from: Finding[], title: string): Promise<Finding | undefined> {
  if (from.length === 0) {
    void vscode.window.showInformationMessage('Heddle: the report has nothing to choose from.');
    return undefined;
  }
  const items = from.map((finding) => ({ label: `${finding.id} ${finding.message}`, description: `${finding.places[0].file}:${finding.places[0].line}`, finding }));
  return (await vscode.window.showQuickPick(items, { title }))?.finding;
}

async function showRun(id?: string): Promise<void> {
  const withSteps = findings.filter((finding) => finding.steps.length > 0);
  const finding = findings.find((f) => f.id === id) ?? (await chooseFinding(withSteps, 'Step through the run that shows'));
  if (!finding) return;
  if (finding.steps.length === 0) {
    void vscode.window.showInformationMessage(`Heddle: the report has no run for ${finding.id}. Open report.sarif, or set heddle.path.`);
    return;
  }
  run.show(finding);
  await run.go(0);
}

/** Starts a debug session for a finding; the program is asked for once and kept in the workspace. */
async function replay(context: vscode.ExtensionContext): Promise<void> {
  const finding = run.finding ?? (await chooseFinding(findings, 'Make it happen in gdb'));
  if (!finding) return;
  const program = await vscode.window.showInputBox({ title: 'The program that was recorded, with its arguments', value: context.workspaceState.get<string>('program') ?? '' });
  if (!program) return;
  await context.workspaceState.update('program', program);
  const [first, ...args] = program.trim().split(/\s+/);
  const folder = vscode.workspace.workspaceFolders?.[0];
  const configuration: vscode.DebugConfiguration & ReplayConfiguration = { type: 'heddle', request: 'launch', name: `Replay ${finding.id}`, report: path.replace(/\.sarif$/, '.json'), finding: finding.id, program: first, args, cwd: folder?.uri.fsPath };
  await vscode.debug.startDebugging(folder, configuration);
}

/** The adapter runs inside the editor. */
class InlineAdapter implements vscode.DebugAdapter {
  private readonly sent = new vscode.EventEmitter<vscode.DebugProtocolMessage>();
  readonly onDidSendMessage = this.sent.event;
  private readonly adapter = new ReplayAdapter(heddleProgram(), (message) => this.sent.fire(message as vscode.DebugProtocolMessage));

  handleMessage(message: vscode.DebugProtocolMessage): void {
    this.adapter.handle(message as never);
  }

  dispose(): void {
    this.sent.dispose();
  }
}

/** Problems have a light bulb that steps through their run. */
const actions: vscode.CodeActionProvider = {
  provideCodeActions(_document, _range, context) {
    return context.diagnostics.filter((d) => d.source === 'heddle').map((diagnostic) => {
      const action = new vscode.CodeAction(`Step through the run that shows ${diagnostic.code}`, vscode.CodeActionKind.QuickFix);
      action.diagnostics = [diagnostic];
      action.command = { command: 'heddle.showRun', title: action.title, arguments: [diagnostic.code] };
      return action;
    });
  },
};

export function activate(context: vscode.ExtensionContext): void {
  problems = vscode.languages.createDiagnosticCollection('heddle');
  run = new RunView();
  const command = (name: string, action: (...args: never[]) => unknown) => vscode.commands.registerCommand(name, action);
  context.subscriptions.push(
    problems,
    run.tree,
    command('heddle.open', async (file?: string) => {
      const chosen = file ?? (await vscode.window.showOpenDialog({ filters: { Reports: ['sarif', 'json'] } }))?.[0].fsPath;
      if (chosen) await openReport(chosen);
    }),
    command('heddle.close', closeReport),
    command('heddle.showRun', (id?: string) => showRun(id)),
    command('heddle.goToStep', (step: number) => run.go(step)),
    command('heddle.nextStep', () => run.go(run.at + 1)),
    command('heddle.previousStep', () => run.go(run.at - 1)),
    command('heddle.replay', () => replay(context)),
    vscode.languages.registerCodeActionsProvider({ scheme: 'file' }, actions),
    vscode.debug.registerDebugAdapterDescriptorFactory('heddle', { createDebugAdapterDescriptor: () => new vscode.DebugAdapterInlineImplementation(new InlineAdapter()) }),
  );
  const watcher = vscode.workspace.createFileSystemWatcher('**/heddle-out/report.{sarif,json}');
  const again = (uri: vscode.Uri) => (uri.fsPath === path || !path) && openReport(uri.fsPath);
  context.subscriptions.push(watcher, watcher.onDidChange(again), watcher.onDidCreate(again));
  const wanted = vscode.workspace.getConfiguration('heddle').get<string>('report');
  for (const folder of vscode.workspace.workspaceFolders ?? []) {
    const found = (wanted ? [wanted] : USUAL).map((name) => join(folder.uri.fsPath, name)).find(existsSync);
    if (found) {
      void openReport(found);
      return;
    }
  }
}
