import { Dialog } from '../kit/overlays/dialog.tsx'
import css from './shell.module.css'
import { shortcutHelp } from './shortcuts.ts'

/** Dialog that lists the keyboard shortcuts of the administration pages. */
export function HelpDialog({ onClose }: { onClose: () => void }) {
  return (
    <Dialog title="Keyboard" isOpen onClose={onClose}>
      <dl className={css['help']}>
        {shortcutHelp.map(([keys, meaning]) => (
          <HelpRow key={keys} keys={keys} meaning={meaning} />
        ))}
      </dl>
    </Dialog>
  )
}

function HelpRow({ keys, meaning }: { keys: string; meaning: string }) {
  return (
    <>
      <dt>
        <kbd>{keys}</kbd>
      </dt>
      <dd>{meaning}</dd>
    </>
  )
}
