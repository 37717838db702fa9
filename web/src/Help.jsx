const KEYS = [
  [['↓', '↑'], 'next and previous step of the run'],
  [['←', '→'], 'observed run, possible run'],
  [['Home', 'End'], 'first and last step'],
  [['j', 'k'], 'next and previous finding'],
  [['/'], 'filter the findings'],
  [['o'], 'overview'],
  [['?'], 'show or hide these'],
];

export function Help({ close }) {
  return (
    <section id="help" class="help" aria-label="Keys">
      <dl>
        {KEYS.map(([keys, what]) => (
          <div key={what}>
            <dt>{keys.map((key) => <kbd key={key}>{key}</kbd>)}</dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
      <button class="plain" onClick={close}>Close</button>
    </section>
  );
}
