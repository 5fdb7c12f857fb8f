/** Maximum number of texts that a list shows. */
const maxShown = 20

/** List of the first texts, with the number of the others. */
export function TextList({ texts }: { texts: readonly string[] }) {
  if (texts.length === 0) return null
  return (
    <ul>
      {texts.slice(0, maxShown).map((text, index) => (
        <li key={index}>{text}</li>
      ))}
      {texts.length > maxShown && <li>and {texts.length - maxShown} more</li>}
    </ul>
  )
}
