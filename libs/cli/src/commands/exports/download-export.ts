import { access } from 'node:fs/promises'
import { CommandError } from '../../exit-codes.ts'
import { bytesText, countText, fieldLines } from '../../io/fields.ts'
import type { RunCommand } from '../../program/command.ts'
import { PartialFile } from './partial-file.ts'
import { readRest } from './read-rest.ts'
import { countLines } from './verify-file.ts'

/**
 * Downloads the file of an export. The bytes are stored in a second file, which gets the final name
 * when it is complete and verified. A later run continues after the last byte of this file. Its
 * name has the id of the export, so that bytes of two exports are never mixed.
 */
export const downloadExport: RunCommand = async (context, args, options) => {
  const { posthorn, output, progress, signal } = context
  const [account = '', exportId = ''] = args
  const to = (options['to'] as string | undefined) ?? `${exportId}.ndjson.gz`
  const client = await posthorn()
  const { status, progress: size } = await client.getExport({ account, exportId }, { signal })
  if (status !== 'completed')
    throw new CommandError(
      `the export is ${status}: wait for its file with \`posthorn exports wait ${account} ${exportId}\``,
    )
  await assertFree(to)
  const total = size.bytesWritten
  const file = await PartialFile.open(`${to}.${exportId}.part`, total)
  await using _closed = file
  if (file.size > 0) progress.note(`continues after ${bytesText(file.size)}`)
  await readRest(client, file, {
    account,
    exportId,
    total,
    signal,
    onProgress: (bytes) => progress.show(`${bytesText(bytes)} of ${bytesText(total)}`),
  })
  progress.show('verifying the file')
  const messages = await countLines(file.path, signal)
  if (messages !== size.messagesExported) {
    await file.remove()
    throw new CommandError(
      `the file was damaged, it has ${messages ?? 'unreadable'} of ${countText(size.messagesExported, 'message')}: download it again`,
    )
  }
  await file.rename(to)
  await output.result(
    { exportId, path: to, bytes: total, messages },
    fieldLines([
      ['file', to],
      ['size', bytesText(total)],
      ['messages', messages],
    ]),
  )
}

async function assertFree(path: string): Promise<void> {
  const exists = await access(path).then(
    () => true,
    () => false,
  )
  if (exists) throw new CommandError(`${path} exists: name another file with --to`)
}
