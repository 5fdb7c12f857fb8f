import { CopyButton } from '../controls/copy-button.tsx'

/** Shell command that an empty list suggests, with a button that copies the command. */
export function CodeExample({ text }: { text: string }) {
  return (
    <>
      <pre>{text}</pre>
      <CopyButton text={text} label="Copy the command" />
    </>
  )
}
