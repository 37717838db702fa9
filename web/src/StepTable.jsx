import { sentence } from './data.js';

function Table({ report, layout, run, title }) {
  return (
    <table class="steps">
      <caption>{title}</caption>
      <thead>
        <tr><th scope="col">event</th><th scope="col">thread</th><th scope="col">does</th><th scope="col">at</th><th scope="col">remark</th></tr>
      </thead>
      <tbody>
        {run.rows.map((row) => {
          if (row.type === 'gap') return <tr key={`gap-${row.from}`}><td /><td colSpan={4} class="quiet">{row.count} events left out</td></tr>;
          if (row.type === 'initial') return <tr key="initial"><td>0</td><td /><td>initial value</td><td /><td /></tr>;
          const event = report.events.get(row.event);
          const place = report.places.get(event.place);
          const remarks = [row.mark, row.moved && 'earlier than observed', row.absent && 'not in the possible run'].filter(Boolean);
          return (
            <tr key={row.position} class={row.own ? 'own' : undefined}>
              <td>{row.event}</td>
              <td><bdi>{layout.lanes[row.lane].name}</bdi></td>
              <td><bdi>{sentence(report, event, row.value)}</bdi></td>
              <td><bdi>{place ? place.short : ''}</bdi></td>
              <td>{remarks.join('; ')}</td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}

/** The same as the diagrams, as tables: for screen readers, and for copying. */
export function StepTable({ report, layout }) {
  return (
    <details class="tables">
      <summary>The steps as tables</summary>
      <div class="scroll">
        <Table report={report} layout={layout} run={layout.observed} title="Observed run" />
        {layout.witness && <Table report={report} layout={layout} run={layout.witness} title="Possible run" />}
      </div>
    </details>
  );
}
