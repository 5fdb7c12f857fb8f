import type { RunCommand } from '../../program/command.ts'

/**
 * Command `messages source`: writes the source of a message to standard output, unchanged unless
 * the output is a terminal.
 */
export const printSource: RunCommand = async (context, args) => {
  const { posthorn, output, signal, terminal } = context
  const [account = '', message = ''] = args
  const client = await posthorn()
  const { body } = await client.getMessageSource({ account, message }, { signal })
  if (!body) return
  const decoder = new TextDecoder()
  let rest = ''
  for await (const chunk of body as unknown as AsyncIterable<Uint8Array>) {
    if (!terminal.stdout.isTTY) {
      await output.bytes(chunk)
      continue
    }
    const lines = (rest + decoder.decode(chunk, { stream: true })).split(/\r?\n/)
    rest = lines.pop() ?? ''
    await output.lines(lines)
  }
  if (rest !== '') await output.lines([rest])
}
