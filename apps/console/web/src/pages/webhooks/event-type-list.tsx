/** Event types as code, side by side. */
export function EventTypeList({ types }: { types: string[] }) {
  return (
    <span style={{ display: 'inline-flex', flexWrap: 'wrap', gap: '2px 10px', justifyContent: 'inherit' }}>
      {types.map((type) => (
        <code key={type}>{type}</code>
      ))}
    </span>
  );
}
