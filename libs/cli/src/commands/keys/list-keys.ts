import type { RunCommand } from '../../program/command.ts'

/** Command `keys list`: prints the public sealing keys of the server. */
export const listKeys: RunCommand = async ({ posthorn, output, signal }) => {
  const { keys } = await (await posthorn()).listKeys({}, { signal })
  await output.table(
    keys,
    [
      { title: 'ID', text: ({ id }) => id },
      { title: 'CURRENT', text: ({ current }) => (current ? 'yes' : 'no') },
      { title: 'PUBLIC KEY', text: ({ publicKey }) => publicKey },
    ],
    { empty: 'no keys' },
  )
}
