import { type MessageDetail, messageFramePath } from '../../../data/mail.ts'
import { HtmlFrame } from '../../../kit/content/html-frame.tsx'
import { Filters, Panel } from '../../../kit/content/panel.tsx'
import { CheckBox } from '../../../kit/controls/check-box.tsx'
import { SelectField } from '../../../kit/controls/select-field.tsx'
import { usePageQuery } from '../../../routing/navigation.tsx'
import css from './mail.module.css'
import { type MessageView, viewOfMessage, viewsOf } from './message-query.ts'

export interface MessageContentProps {
  account: string
  detail: MessageDetail
}

const viewTexts: Readonly<Record<MessageView, string>> = {
  text: 'Plain text',
  html: 'HTML',
  headers: 'Headers',
}

/** Content of a message: plain text, HTML in a frame without rights, or headers. */
export function MessageContent({ account, detail }: MessageContentProps) {
  const [query, change] = usePageQuery()
  const view = viewOfMessage(query, detail)
  const remoteImages = query['images'] === 'remote'
  return (
    <Panel title="Content">
      <Filters label="Form of the content">
        <SelectField
          label="Show"
          value={view}
          options={viewsOf(detail).map((value) => ({ value, label: viewTexts[value] }))}
          onChange={(value) => change({ view: value, images: '' })}
        />
        {view === 'html' && (
          <CheckBox
            isSelected={remoteImages}
            onChange={(isSelected) => change({ view, images: isSelected ? 'remote' : '' })}
          >
            Load remote images
          </CheckBox>
        )}
      </Filters>
      {view === 'html' && remoteImages && (
        <p>
          The hosts of the images see your network address and the time. Images that are attached to
          the message are not shown.
        </p>
      )}
      {view === 'text' && <PlainText detail={detail} />}
      {view === 'headers' && (
        <pre className={css['text']} tabIndex={0}>
          {headerText(detail)}
        </pre>
      )}
      {view === 'html' && (
        <HtmlFrame
          key={String(remoteImages)}
          title="HTML of the message"
          src={messageFramePath({ account, message: detail.id }, remoteImages)}
        />
      )}
    </Panel>
  )
}

function PlainText({ detail: { text } }: { detail: MessageDetail }) {
  if (text?.plain === undefined || text.plain === '') return <p>The message has no plain text.</p>
  return (
    <>
      <pre className={css['text']} tabIndex={0}>
        {text.plain}
      </pre>
      {text.hasMore === true && <p>The text is longer. Download the source to read all of it.</p>}
    </>
  )
}

function headerText({ headers = {} }: MessageDetail): string {
  return Object.entries(headers)
    .flatMap(([name, values]) => values.map((value) => `${name}: ${value}`))
    .join('\n')
}
