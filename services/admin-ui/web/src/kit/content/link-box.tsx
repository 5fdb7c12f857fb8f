import { CopyButton } from '../controls/copy-button.tsx'

/** Box for a link or value that is shown once, with a button that copies the text. */
export function LinkBox({ url, label = 'Copy the link' }: { url: string; label?: string }) {
  return (
    <>
      <pre>{url}</pre>
      <div>
        <CopyButton text={url} label={label} />
      </div>
    </>
  )
}
