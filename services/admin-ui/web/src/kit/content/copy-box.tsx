import { CopyButton } from '../controls/copy-button.tsx'

/** Box for a text to copy, such as a link or a command, with a button that copies the text. */
export function CopyBox({ text, label = 'Copy the link' }: { text: string; label?: string }) {
  return (
    <>
      <pre>{text}</pre>
      <div>
        <CopyButton text={text} label={label} />
      </div>
    </>
  )
}
