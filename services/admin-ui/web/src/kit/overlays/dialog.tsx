import type { ReactNode } from 'react'
import { Dialog as AriaDialog, Heading, Modal, ModalOverlay } from 'react-aria-components'
import css from './overlays.module.css'

export interface OverlayProps {
  isOpen: boolean
  onClose: () => void
  children: ReactNode
}

export interface DialogProps extends OverlayProps {
  title: string
  /** ARIA role of the dialog: `alertdialog` for questions before dangerous actions. */
  role?: 'dialog' | 'alertdialog'
}

/**
 * Layer above the page for a dialog. The layer keeps the focus inside. Escape, or a press beside
 * the dialog, closes the layer.
 */
export function Overlay({ isOpen, onClose, children }: OverlayProps) {
  return (
    <ModalOverlay
      className={css['shade'] ?? ''}
      isOpen={isOpen}
      onOpenChange={(open) => !open && onClose()}
      isDismissable
    >
      <Modal className={css['modal'] ?? ''}>{children}</Modal>
    </ModalOverlay>
  )
}

/** Dialog above the page, with a title. */
export function Dialog({ title, children, role = 'dialog', ...overlay }: DialogProps) {
  return (
    <Overlay {...overlay}>
      <AriaDialog className={css['dialog'] ?? ''} role={role}>
        <Heading slot="title" level={2}>
          {title}
        </Heading>
        {children}
      </AriaDialog>
    </Overlay>
  )
}
