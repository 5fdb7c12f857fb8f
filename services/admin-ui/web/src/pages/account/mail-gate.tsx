import type { ReactNode } from 'react'
import { useMailRight } from '../../data/use-mail-right.ts'
import { Panel } from '../../kit/content/panel.tsx'
import { MailReasonForm } from '../../kit/forms/mail-reason-form.tsx'

/**
 * Component that shows its content while the person's right to read mail is active. Otherwise asks
 * for the reason to read mail, or explains who gives the right.
 */
export function MailGate({ children }: { children: ReactNode }) {
  const right = useMailRight()
  if (right === 'active') return children
  return (
    <Panel title="Reading mail">
      {right === 'never' ? (
        <p>You may not read mail. An owner permits reading mail on the page People.</p>
      ) : (
        <MailReasonForm submit="Read mail" />
      )}
    </Panel>
  )
}
