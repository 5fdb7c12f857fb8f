import { type Complaint, type DeliveryReport, readReport } from '@posthorn/reports'
import { CommandError } from '../../exit-codes.ts'
import { fieldLines } from '../../io/fields.ts'
import { inputError, openInput } from '../../io/input.ts'
import type { Output } from '../../io/output.ts'
import type { RunCommand } from '../../program/command.ts'

/**
 * Maximum bytes that are read of a delivery report's file. Servers read no more of a report,
 * either.
 */
const maxBytes = 1_048_576

/** Command `bounce check`: prints the delivery report in a file. Needs no server. */
export const checkBounce: RunCommand = async (context, args) => {
  const { output } = context
  const [file = ''] = args
  const report = readReport(await readStart(openInput(file, context), file))
  if (!report)
    throw new CommandError(
      `${file === '-' ? 'the message' : file} is no bounce, delivery report or complaint`,
    )
  await (report.kind === 'delivery'
    ? printDelivery(report, output)
    : printComplaint(report, output))
}

/** Reads the first bytes of a delivery report. */
async function readStart(source: AsyncIterable<Uint8Array>, file: string): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  let length = 0
  try {
    for await (const chunk of source) {
      chunks.push(chunk)
      length += chunk.length
      if (length >= maxBytes) break
    }
  } catch (error) {
    throw inputError(file, error)
  }
  return Buffer.concat(chunks).subarray(0, maxBytes)
}

async function printDelivery(report: DeliveryReport, output: Output): Promise<void> {
  if (output.isJson) return output.result(report, [])
  const { headers, messageId, recipients } = report
  await output.lines([
    ...fieldLines([
      ['report', 'delivery'],
      ['message-id', messageId],
      ['subject', headers?.['subject']?.[0]],
    ]),
    '',
  ])
  await output.table(
    recipients,
    [
      { title: 'RECIPIENT', text: ({ recipient }) => recipient },
      { title: 'RESULT', text: ({ action }) => action },
      { title: 'STATUS', text: ({ response }) => response.status },
      { title: 'CATEGORY', text: ({ response }) => response.category },
      { title: 'RECOMMENDED', text: ({ response }) => response.recommendedAction },
      { title: 'RESPONSE', text: ({ response }) => response.message },
    ],
    { empty: 'no recipients' },
  )
}

function printComplaint(report: Complaint, output: Output): Promise<void> {
  const { arf, headers, messageId } = report
  const lines = fieldLines([
    ['report', 'complaint'],
    ['type', arf.feedbackType],
    ['provider', arf.source],
    ['recipients', arf.originalRcptTo.join(', ')],
    ['sent by', arf.originalMailFrom],
    ['sent from', arf.sourceIp],
    ['received', arf.arrivalDate],
    ['message-id', messageId],
    ['subject', headers?.['subject']?.[0]],
  ])
  return output.result(report, lines)
}
