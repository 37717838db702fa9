// The run that shows a finding as rows with a lane for each thread, in plain text.
import { Step } from './report';

export interface Row {
  /** A column for each thread: what it does here, or that it exists. */
  lanes: string;
  step: Step;
}

const MOST = 12; // lanes that are drawn; the threads beyond share the last

/** The threads of a run, in the order in which they come first. */
export function threadsOf(steps: Step[]): string[] {
  return [...new Set(steps.map((step) => step.thread))];
}

export function rowsOf(steps: Step[]): Row[] {
  const threads = threadsOf(steps);
  const last = new Map<string, number>();
  steps.forEach((step, i) => last.set(step.thread, i));
  const first = new Map<string, number>();
  steps.forEach((step, i) => first.set(step.thread, first.get(step.thread) ?? i));
  return steps.map((step, i) => {
    const lanes = threads.slice(0, MOST).map((thread, lane) => {
      const mine = step.thread === thread || (lane === MOST - 1 && threads.indexOf(step.thread) >= MOST);
      if (mine) return step.essential ? '◆' : '●';
      return i >= (first.get(thread) ?? 0) && i <= (last.get(thread) ?? 0) ? '│' : '·';
    });
    return { lanes: lanes.join(' '), step };
  });
}
