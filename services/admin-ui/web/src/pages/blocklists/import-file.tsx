import { useEffect, useRef, useState } from 'react'
import { type BulkProgress, runForEach } from '../../data/bulk-run.ts'
import { blocklistActions, blocklistsKey } from '../../data/lists/blocklists.ts'
import { useRefresh } from '../../data/use-load.ts'
import { Button, ButtonRow } from '../../kit/controls/button.tsx'
import { FileButton } from '../../kit/controls/file-button.tsx'
import { TextField } from '../../kit/controls/text-field.tsx'
import { ProblemBox } from '../../kit/states/problem-box.tsx'
import { type BlockedFile, keyOf, maxFileBytes, readBlockedFile } from './blocked-file.ts'

/** Maximum number of wrong lines and of errors that the page shows. */
const maxShown = 20
/** Number of failed addresses after which an import ends, such as with a wrong account id. */
const maxFailures = 50

/** Form that adds the addresses of a CSV file to a blocklist, with the progress. */
export function ImportFile({ listId }: { listId: string }) {
  const [account, setAccount] = useState('')
  const [text, setText] = useState<string>()
  const [progress, setProgress] = useState<BulkProgress>()
  const running = useRef<AbortController>(undefined)
  const refresh = useRefresh()
  useEffect(() => () => running.current?.abort(), [])
  const { file, problem } = readChosen(text, account)
  const start = async ({ blocks }: BlockedFile) => {
    const control = new AbortController()
    running.current = control
    const byKey = new Map(blocks.map((block) => [keyOf(block), block]))
    const add = async (key: string) => {
      const block = byKey.get(key)
      if (block) await blocklistActions.add({ listId, block })
    }
    const onProgress = (next: BulkProgress) => {
      if (next.failures.length >= maxFailures) control.abort()
      setProgress(next)
    }
    await runForEach([...byKey.keys()], add, { signal: control.signal, onProgress })
    running.current = undefined
    setText(undefined)
    refresh([blocklistsKey])
  }
  const needsAccount = file?.blocks.some((block) => block.account === '') === true
  return (
    <>
      <TextField
        label="Account id of the file"
        hint="For lines without an account. Columns: recipient, account, reason."
        value={account}
        onChange={setAccount}
      />
      <FileButton
        label="Choose the CSV file"
        types={['.csv', '.txt', 'text/csv', 'text/plain']}
        maxBytes={maxFileBytes}
        onText={(chosen) => {
          setText(chosen)
          setProgress(undefined)
        }}
      />
      {problem !== undefined && <ProblemBox title="The file cannot be used">{problem}</ProblemBox>}
      {file && !running.current && (
        <Preview file={file} needsAccount={needsAccount} onStart={() => void start(file)} />
      )}
      {running.current && <Button onPress={() => running.current?.abort()}>Stop</Button>}
      {progress && <Progress {...progress} />}
    </>
  )
}

function readChosen(
  text: string | undefined,
  account: string,
): { file?: BlockedFile; problem?: string } {
  if (text === undefined) return {}
  try {
    return { file: readBlockedFile(text, account) }
  } catch (error) {
    return { problem: (error as Error).message }
  }
}

interface PreviewProps {
  file: BlockedFile
  needsAccount: boolean
  onStart: () => void
}

function Preview({ file: { blocks, wrong }, needsAccount, onStart }: PreviewProps) {
  const count = `${blocks.length.toLocaleString('en')} ${blocks.length === 1 ? 'address' : 'addresses'}`
  return (
    <>
      <p role="status">
        The file has {count}.{' '}
        {wrong.length > 0 &&
          `Lines without an email address: ${wrong.length.toLocaleString('en')}.`}{' '}
        {needsAccount && 'Enter the account id of the file.'}
      </p>
      <Texts texts={wrong.map((line) => line || '(empty)')} />
      <ButtonRow>
        <Button kind="primary" onPress={onStart} isDisabled={blocks.length === 0 || needsAccount}>
          Add {count}
        </Button>
      </ButtonRow>
    </>
  )
}

function Progress({ done, total, failures }: BulkProgress) {
  return (
    <div role="status">
      <progress value={done} max={total} aria-label="Progress" />{' '}
      {`${done} of ${total} done, ${failures.length} failed`}
      <Texts texts={failures.map(([key, message]) => `${key}: ${message}`)} />
    </div>
  )
}

/** List of the first texts, with the number of the others. */
function Texts({ texts }: { texts: readonly string[] }) {
  if (texts.length === 0) return null
  return (
    <ul>
      {texts.slice(0, maxShown).map((text, index) => (
        <li key={index}>{text}</li>
      ))}
      {texts.length > maxShown && <li>and {texts.length - maxShown} more</li>}
    </ul>
  )
}
