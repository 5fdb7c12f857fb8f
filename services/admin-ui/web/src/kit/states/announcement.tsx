import css from './states.module.css'

/**
 * Invisible text that screen readers announce whenever the text changes (WCAG 4.1.3). The element
 * must be on the page before its text changes. An empty text is not announced.
 */
export function Announcement({ text }: { text: string }) {
  return (
    <div role="status" className={css['announcement']}>
      {text}
    </div>
  )
}
