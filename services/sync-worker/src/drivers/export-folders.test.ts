import { expect, test } from '@jest/globals'
import { defaultExportFolders } from './export-folders.ts'

const folder = (path: string, specialUse: string | null = null) => ({ path, specialUse })
const paths = (folders: { path: string }[]) => folders.map(({ path }) => path)

test('defaultExportFolders: with a folder of all messages, selects only that folder', () => {
  const folders = [folder('INBOX', '\\Inbox'), folder('All', '\\All'), folder('Bin', '\\Trash')]
  expect(paths(defaultExportFolders(folders))).toEqual(['All'])
})

test('defaultExportFolders: otherwise, leaves out junk and trash in any spelling', () => {
  const folders = [folder('INBOX', '\\Inbox'), folder('Spam', '\\JUNK'), folder('a')]
  expect(paths(defaultExportFolders([...folders, folder('Bin', '\\Trash')]))).toEqual([
    'INBOX',
    'a',
  ])
})
