import { useState } from 'react'
import { blocklistActions, blocklistsKey } from '../../data/lists/blocklists.ts'
import { useBulkRun } from '../../data/use-bulk-run.ts'
import { useRefresh } from '../../data/use-load.ts'
import { TextList } from '../../kit/content/text-list.tsx'
import { Button, ButtonRow } from '../../kit/controls/button.tsx'
import { FileButton } from '../../kit/controls/file-button.tsx'
import { TextField } from '../../kit/controls/text-field.tsx'
import { BulkState } from '../../kit/states/bulk-state.tsx'
import { ProblemBox } from '../../kit/states/problem-box.tsx'
import { type BlockedFile, keyOf, maxFileBytes, readBlockedFile } from './blocked-file.ts'

/** Number of failed addresses after which an import ends, such as with a wrong account id. */
const maxFailures = 50

/** Form that adds the addresses of a CSV file to a blocklist, with the progress. */
export function ImportFile({ listId }: { listId: string }) {
  const bulk = useBulkRun(maxFailures)
  const [account, setAccount] = useState('')
  const refresh = useRefresh()
  const start = async ({ blocks }: BlockedFile) => {
    const byKey = new Map(blocks.map((block) => [keyOf(block), block]))
    await bulk.start([...byKey.keys()], async (key) => {
      const block = byKey.get(key)
      if (block) await blocklistActions.add({ listId, block })
    })
    refresh([blocklistsKey])
  }
  const { progress, isRunning } = bulk
  return (
    <>
      {isRunning ? (
        <ButtonRow>
          <Button onPress={bulk.stop}>Stop</Button>
        </ButtonRow>
      ) : (
        <ChooseFile
          account={account}
          onAccount={setAccount}
          onFile={bulk.clearProgress}
          onStart={(file) => void start(file)}
        />
      )}
      {progress && <BulkState {...progress} />}
      {!isRunning && progress && progress.failures.length >= maxFailures && (
        <p role="status">
          The import has ended, because {maxFailures} addresses failed. Correct the file and choose
          the file again.
        </p>
      )}
    </>
  )
}

interface ChooseFileProps {
  account: string
  onAccount: (account: string) => void
  /** Called when the person has chosen a CSV file. */
  onFile: () => void
  onStart: (file: BlockedFile) => void
}

/** Fields for a CSV file, with a preview of its addresses. */
function ChooseFile({ account, onAccount, onFile, onStart }: ChooseFileProps) {
  const [text, setText] = useState<string>()
  const { file, problem } = readChosen(text, account)
  return (
    <>
      <TextField
        label="Account id of the file"
        hint="For lines without an account. Columns: recipient, account, reason."
        value={account}
        onChange={onAccount}
      />
      <FileButton
        label="Choose the CSV file"
        types={['.csv', '.txt', 'text/csv', 'text/plain']}
        maxBytes={maxFileBytes}
        onText={(chosen) => {
          setText(chosen)
          onFile()
        }}
      />
      {problem !== undefined && <ProblemBox title="The file cannot be used">{problem}</ProblemBox>}
      {file && <Preview file={file} onStart={() => onStart(file)} />}
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
  onStart: () => void
}

function Preview({ file: { blocks, wrong }, onStart }: PreviewProps) {
  const needsAccount = blocks.some(({ account }) => account === '')
  const count = `${blocks.length.toLocaleString('en')} ${blocks.length === 1 ? 'address' : 'addresses'}`
  return (
    <>
      <p role="status">
        The file has {count}.{' '}
        {wrong.length > 0 &&
          `Lines without an email address: ${wrong.length.toLocaleString('en')}.`}{' '}
        {needsAccount && 'Enter the account id of the file.'}
      </p>
      <TextList texts={wrong.map((line) => line || '(empty)')} />
      <ButtonRow>
        <Button kind="primary" onPress={onStart} isDisabled={blocks.length === 0 || needsAccount}>
          Add {count}
        </Button>
      </ButtonRow>
    </>
  )
}
