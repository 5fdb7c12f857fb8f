import type { CommandSpec } from '../../program/command.ts'

export const login: CommandSpec = {
  name: 'login',
  summary: 'Store the URL and the access token of a server for the other commands.',
  details:
    'Asks for the URL and the token, and checks them with a request. Only you can read the stored file.',
  examples: [
    {
      purpose: 'Store the login, with the token from a file',
      line: 'login --url https://posthorn.example --token-file token.txt',
    },
  ],
  load: async () => (await import('./log-in.ts')).logIn,
}

export const logout: CommandSpec = {
  name: 'logout',
  summary: 'Remove the stored URL and access token.',
  details: 'The token stays valid. `posthorn tokens revoke` deletes a token.',
  examples: [{ purpose: 'Remove the stored login', line: 'logout' }],
  load: async () => (await import('./log-out.ts')).logOut,
}
