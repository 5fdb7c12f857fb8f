import type { ReactNode } from 'react'
import { Dialog as AriaDialog, Heading, Modal, ModalOverlay } from 'react-aria-components'
import css from './overlays.module.css'

export interface DialogProps {
  title: string
  isOpen: boolean
  onClose: () => void
  children: ReactNode
  /** ARIA role of the dialog: `alertdialog` for questions before dangerous actions. */
  role?: 'dialog' | 'alertdialog'
}

/** Dialog above the page. It keeps the focus inside, and Escape closes it. */
export function Dialog({ title, isOpen, onClose, children, role = 'dialog' }: DialogProps) {
  return (
    <ModalOverlay
      className={css['shade'] ?? ''}
      isOpen={isOpen}
      onOpenChange={(open) => !open && onClose()}
      isDismissable
    >
      <Modal className={css['modal'] ?? ''}>
        <AriaDialog className={css['dialog'] ?? ''} role={role}>
          <Heading slot="title" level={2}>
            {title}
          </Heading>
          {children}
        </AriaDialog>
      </Modal>
    </ModalOverlay>
  )
}
