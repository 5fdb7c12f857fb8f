import { otherInstance } from './cast.ts'

const auth = { user: 'jane@example.com' }
const { sealed } = otherInstance

/** Example of an exported account. The sealed texts are shortened. */
export const transfer = {
  account: 'jane',
  name: 'Jane',
  email: 'jane@example.com',
  imap: { host: 'imap.example.com', port: 993, secure: true, auth },
  smtp: { host: 'smtp.example.com', port: 465, secure: true, auth },
  logs: false,
  paused: true,
  notifyFrom: '2030-01-15T10:00:00.000Z',
  credentials: { imap: sealed, smtp: sealed },
}
