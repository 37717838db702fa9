// Pictures of ranges of the trace, fetched as they are needed: each is wider than what is looked at, and a few are kept.

const KEPT = 12;
const SPARE = 1; // how many widths of what is looked at a picture has on either side

/** Asks the server, which knows us by the token in the page's own address. */
export async function ask(what, parameters = {}) {
  const answer = await fetch(`${what}?${new URLSearchParams(parameters)}`);
  if (!answer.ok) throw new Error(`${what}: ${answer.status}`);
  return answer.json();
}

/** The events that a picture for the view covers, and in how many columns. */
export function plan(view, events, width) {
  const span = view.to - view.from;
  const from = Math.max(1, Math.floor(view.from - span * SPARE));
  const to = Math.min(events, Math.ceil(view.to + span * SPARE));
  const columns = Math.max(1, Math.min(2000, to - from + 1, Math.ceil((width * (to - from + 1)) / Math.max(1, span))));
  return { from, to, columns };
}

/** Whether the picture shows all of the view, about as finely as the screen does. */
export function suits(picture, view, events, lane) {
  const inside = picture.from <= Math.max(1, view.from) && picture.to >= Math.min(events, view.to);
  const ratio = (picture.to - picture.from + 1) / Math.max(1, view.to - view.from);
  return inside && picture.lane === lane && (ratio <= 6 || picture.to - picture.from < 100);
}

/** Keeps the pictures that were used last, and asks for one at a time. */
export class Pictures {
  constructor(events, arrived) {
    this.events = events;
    this.arrived = arrived;
    this.kept = [];
    this.busy = false;
    this.wanted = null;
  }

  /** The best picture there is; another is on its way if that does not suit. */
  get(view, width, lane) {
    const found = this.kept.find((p) => suits(p, view, this.events, lane));
    if (found) {
      this.kept = [found, ...this.kept.filter((p) => p !== found)];
      return found;
    }
    this.wanted = { ...plan(view, this.events, width), lane };
    this.fetch();
    return this.kept.find((p) => p.lane === lane && p.from <= view.to && p.to >= view.from) || null;
  }

  async fetch() {
    if (this.busy || !this.wanted) return;
    const { wanted } = this;
    this.wanted = null;
    this.busy = true;
    try {
      const picture = await ask('range', wanted);
      picture.lane = wanted.lane;
      this.kept = [picture, ...this.kept].slice(0, KEPT);
      this.arrived(picture);
    } catch (error) {
      this.arrived(null, error);
    } finally {
      this.busy = false;
    }
    this.fetch();
  }
}
