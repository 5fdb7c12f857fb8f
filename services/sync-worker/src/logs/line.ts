import type { TranscriptLine } from '@posthorn/backends'

const speakers = { client: 'C:', server: 'S:', us: '--' } as const
const maxText = 2_000

/** A line of the log as it is read: when, which connection of this process, who, what. Nothing in it can break the line. */
export function formatLogLine({ at, from, text }: TranscriptLine, connection: number): string {
  const plain = text
    .slice(0, maxText)
    .toWellFormed()
    .replaceAll(/[\u0000-\u0008\u000a-\u001f\u007f-\u009f\u2028\u2029]/g, '\ufffd')
  return `${at.toISOString()} [${connection}] ${speakers[from]} ${plain}`
}
