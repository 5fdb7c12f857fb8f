import { CopyButton } from '../controls/copy-button.tsx'

/** Link that is shown once, with a button that copies the link. */
export function LinkBox({ url }: { url: string }) {
  return (
    <>
      <pre>{url}</pre>
      <div>
        <CopyButton text={url} label="Copy the link" />
      </div>
    </>
  )
}
