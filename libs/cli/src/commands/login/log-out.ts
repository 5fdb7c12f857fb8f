import { configPath, removeLogin } from '../../connection/config-file.ts'
import type { RunCommand } from '../../program/command.ts'

/** Command `logout`: removes the stored login. */
export const logOut: RunCommand = async ({ terminal, output }) => {
  const path = configPath(terminal.env)
  const removed = await removeLogin(path)
  await output.result({ path, removed }, removed ? `removed ${path}` : 'no login is stored')
}
