// A stand-in for the editor: as much of the VS Code API as the extension uses, with what it was told kept for the tests. The real
// types check the extension against the API; this checks what it does.
import Module from 'node:module';

type Any = any; // eslint-disable-line

export const told = {
  problems: new Map<string, Any[]>(), errors: [] as string[], notes: [] as string[], shown: [] as Any[], marks: [] as Any[],
  context: {} as Record<string, unknown>, sessions: [] as Any[], tree: undefined as Any, provider: undefined as Any,
  factory: undefined as Any, actions: undefined as Any, watchers: [] as Any[],
};
export const commands = new Map<string, (...args: Any[]) => Any>();
export const answers = { pick: (items: Any[]): Any => items[0], input: 'program 1 2', settings: {} as Record<string, unknown> };

class Emitter {
  private listeners: ((value: Any) => void)[] = [];
  event = (listener: (value: Any) => void) => { this.listeners.push(listener); return { dispose() {} }; };
  fire(value?: Any) { for (const listener of this.listeners) listener(value); }
  dispose() {}
}
class Range { constructor(public a: number, public b: number, public c: number, public d: number) {} }
class Uri {
  private constructor(public fsPath: string) {}
  static file(path: string) { return new Uri(path); }
  toString() { return `file://${this.fsPath}`; }
}
const disposable = { dispose() {} };
const editor = { setDecorations(_type: Any, marks: Any[]) { told.marks = marks; }, revealRange() {} };

export const vscode: Any = {
  EventEmitter: Emitter, Range, Uri,
  Location: class { constructor(public uri: Uri, public range: Range) {} },
  Diagnostic: class { constructor(public range: Range, public message: string, public severity: number) {} },
  DiagnosticRelatedInformation: class { constructor(public location: Any, public message: string) {} },
  DiagnosticSeverity: { Error: 0, Warning: 1, Information: 2 },
  ThemeColor: class { constructor(public id: string) {} },
  TreeItem: class { constructor(public label: string) {} },
  CodeAction: class { constructor(public title: string, public kind: Any) {} },
  CodeActionKind: { QuickFix: 'quickfix' },
  TextEditorRevealType: { InCenterIfOutsideViewport: 2 },
  DebugAdapterInlineImplementation: class { constructor(public implementation: Any) {} },
  commands: {
    registerCommand(name: string, action: Any) { commands.set(name, action); return disposable; },
    async executeCommand(name: string, key: string, value: unknown) { if (name === 'setContext') told.context[key] = value; },
  },
  languages: {
    createDiagnosticCollection: () => ({ set: (uri: Uri, list: Any[]) => told.problems.set(uri.fsPath, list), clear: () => told.problems.clear(), dispose() {} }),
    registerCodeActionsProvider(_selector: Any, provider: Any) { told.actions = provider; return disposable; },
  },
  window: {
    visibleTextEditors: [editor],
    createTreeView(_id: string, { treeDataProvider }: Any) { told.provider = treeDataProvider; told.tree = { reveal: async () => {}, dispose() {} }; return told.tree; },
    createTextEditorDecorationType: () => ({}),
    showErrorMessage: (text: string) => told.errors.push(text),
    showInformationMessage: (text: string) => told.notes.push(text),
    showQuickPick: async (items: Any[]) => answers.pick(items),
    showInputBox: async () => answers.input,
    showOpenDialog: async () => undefined,
    async showTextDocument(document: Any, options: Any) { told.shown.push({ document, options }); return editor; },
  },
  workspace: {
    workspaceFolders: undefined as Any,
    getConfiguration: () => ({ get: (name: string) => answers.settings[name] }),
    openTextDocument: async (uri: Uri) => ({ uri }),
    createFileSystemWatcher() {
      const change = new Emitter();
      told.watchers.push(change);
      return { onDidChange: change.event, onDidCreate: change.event, dispose() {} };
    },
  },
  debug: {
    registerDebugAdapterDescriptorFactory(_type: string, factory: Any) { told.factory = factory; return disposable; },
    async startDebugging(_folder: Any, configuration: Any) { told.sessions.push(configuration); return true; },
  },
};

/** From here on `require('vscode')` gives the stand-in. */
export function install(): void {
  const loader = Module as Any;
  const load = loader._load;
  loader._load = (name: string, ...rest: Any[]) => (name === 'vscode' ? vscode : load(name, ...rest));
}
