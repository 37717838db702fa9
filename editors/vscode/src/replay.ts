// "Replay in gdb" as a debug session: an adapter that has the editor run `heddle replay --gdb` in its terminal, where gdb is at
// hand with Heddle's commands. It speaks the little of the Debug Adapter Protocol that this takes.

export interface ReplayConfiguration {
  report: string;
  finding: string;
  program: string;
  args?: string[];
  cwd?: string;
  to?: number;
}

export interface Message {
  seq: number;
  type: string;
  [name: string]: unknown;
}

/** What is wrong with a configuration, in a sentence; undefined: nothing. */
export function complaint(configuration: Partial<ReplayConfiguration>): string | undefined {
  for (const name of ['report', 'finding', 'program'] as const) {
    if (typeof configuration[name] !== 'string' || !configuration[name]) return `The configuration needs "${name}".`;
  }
  if (!/^[A-Z][0-9]+$/.test(configuration.finding as string)) return `"${configuration.finding}" is not a finding: they are called R1, N2 and the like.`;
  if (configuration.args !== undefined && !(Array.isArray(configuration.args) && configuration.args.every((word) => typeof word === 'string'))) return 'The arguments of the program ("args") must be a list of words.';
  if (configuration.to !== undefined && !(Number.isSafeInteger(configuration.to) && configuration.to > 0)) return 'The event to stop before ("to") must be a number of the trace.';
  return undefined;
}

/** The command line, word by word. */
export function replayCommand(heddle: string, configuration: ReplayConfiguration): string[] {
  const { report, finding, program, args = [], to } = configuration;
  return [heddle, 'replay', '--gdb', ...(to ? [`--to=${to}`] : []), report, finding, '--', program, ...args];
}

/** The adapter; `send` takes what it says. */
export class ReplayAdapter {
  private seq = 1;

  constructor(private readonly heddle: string, private readonly send: (message: Message) => void) {}

  private emit(type: string, rest: object): void {
    this.send({ seq: this.seq++, type, ...rest });
  }

  private answer(request: Message, body: object = {}, error?: string): void {
    this.emit('response', { request_seq: request.seq, command: request.command, success: !error, body, ...(error ? { message: error } : {}) });
  }

  handle(message: Message): void {
    if (message.type === 'response' && message.command === 'runInTerminal') {
      if (message.success === false) this.emit('event', { event: 'output', body: { category: 'stderr', output: `The terminal could not be opened: ${message.message ?? 'no reason given'}\n` } });
      this.emit('event', { event: 'terminated' }); // gdb goes on in the terminal
      return;
    }
    if (message.type !== 'request') return;
    if (message.command === 'initialize') {
      this.answer(message, { supportsConfigurationDoneRequest: false });
      this.emit('event', { event: 'initialized' });
    } else if (message.command === 'launch') {
      this.launch(message);
    } else if (message.command === 'threads') {
      this.answer(message, { threads: [] });
    } else {
      this.answer(message);
    }
  }

  private launch(message: Message): void {
    const configuration = (message.arguments ?? {}) as Partial<ReplayConfiguration>;
    const wrong = complaint(configuration);
    this.answer(message, {}, wrong);
    if (wrong) {
      this.emit('event', { event: 'terminated' });
      return;
    }
    const args = replayCommand(this.heddle, configuration as ReplayConfiguration);
    this.emit('request', { command: 'runInTerminal', arguments: { kind: 'integrated', title: `Heddle: ${configuration.finding}`, cwd: configuration.cwd ?? '', args } });
  }
}
