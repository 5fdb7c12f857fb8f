import { useEffect, useId, useRef, useState } from 'react'
import { templateFramePath } from '../../data/lists/templates.ts'
import { HtmlFrame } from '../../kit/content/html-frame.tsx'
import { PageBody } from '../../kit/content/panel.tsx'
import { CheckBox } from '../../kit/controls/check-box.tsx'

/**
 * HTML of a composed message in a frame without rights. A form sends the HTML to the server, and
 * the server returns the HTML without active content, with a policy of its own. A document that the
 * page itself creates would have the policy of the page, which forbids the styles of messages.
 */
export function RenderedHtml({ html }: { html: string }) {
  const form = useRef<HTMLFormElement>(null)
  const [remoteImages, setRemoteImages] = useState(false)
  const frame = `preview${useId()}`
  useEffect(() => form.current?.submit(), [html, remoteImages])
  return (
    <PageBody>
      <form ref={form} method="post" action={templateFramePath} target={frame} hidden>
        <input type="hidden" name="html" value={html} />
        <input type="hidden" name="images" value={remoteImages ? 'remote' : ''} />
      </form>
      {/* The first document of a new frame adds no entry to the history of the browser. */}
      <HtmlFrame key={String(remoteImages)} title="Preview of the message" name={frame} />
      <CheckBox isSelected={remoteImages} onChange={setRemoteImages}>
        Load remote images
      </CheckBox>
      <p>
        The preview shows the message without scripts and forms, as mail clients do. Mail clients
        differ: send a test mail to see the message in a mail client.
      </p>
    </PageBody>
  )
}
