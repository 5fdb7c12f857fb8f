import { VisuallyHidden } from 'react-aria-components'

/**
 * Invisible text that screen readers announce whenever the text changes (WCAG 4.1.3). The element
 * must be on the page before the text changes. An empty text is not announced.
 */
export function Announcement({ text }: { text: string }) {
  return <VisuallyHidden role="status">{text}</VisuallyHidden>
}
