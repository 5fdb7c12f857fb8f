import { configPath, removeLogin } from '../../connection/config-file.ts'
import type { RunCommand } from '../../program/command.ts'

/** Command `logout`: removes the server URL and access token that `posthorn login` has stored. */
export const logOut: RunCommand = async ({ terminal, output }) => {
  const path = configPath(terminal.env)
  const removed = await removeLogin(path)
  await output.result({ path, removed }, removed ? `removed ${path}` : 'no login is stored')
}
