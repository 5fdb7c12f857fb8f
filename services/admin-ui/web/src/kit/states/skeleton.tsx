import css from './states.module.css'

/** Gray lines in place of data that is being loaded. The lines appear after 200 ms. */
export function Skeleton({ lines }: { lines: number }) {
  return (
    <div className={css['skeleton']} role="status" aria-label="Loading">
      {Array.from({ length: lines }, (_, line) => (
        <div key={line} className={css['bar']} />
      ))}
    </div>
  )
}
