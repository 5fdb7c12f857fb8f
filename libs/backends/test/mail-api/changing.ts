import { expect } from '@jest/globals'
import {
  type CreateEnvironment,
  type DefineCase,
  folderOf,
  isIn,
  mail,
  signal,
} from './environment.ts'

export function changingCases(create: CreateEnvironment, test: DefineCase): void {
  test('updateMessages: flags of several messages, changes them and reports missing ones', async () => {
    await using environment = await create()
    const { api } = environment
    const [one, other] = [
      await environment.deliver(mail('a')),
      await environment.deliver(mail('b')),
    ]
    const update = { unseen: false, flagged: true }
    expect(await api.updateMessages([one, other], update, signal)).toEqual({ missing: [] })
    expect(await api.updateMessages([one, other], update, signal)).toEqual({ missing: [] })
    for (const id of [one, other])
      expect(await api.getMessage(id, {}, signal)).toMatchObject(update)
    await api.updateMessages([one], { unseen: true }, signal)
    expect(await api.getMessage(one, {}, signal)).toMatchObject({ unseen: true, flagged: true })
    const [missing = ''] = environment.ids
    expect(await api.updateMessages([missing], update, signal)).toEqual({ missing: [missing] })
  })

  test('updateMessages: labels, adds and removes them', async () => {
    await using environment = await create()
    const { api } = environment
    const id = await environment.deliver(mail('a'))
    const isLabels = api.traits.placement === 'labels'
    const work = isLabels ? (await api.createFolder({ name: 'Work & Ä' }, signal)).id : 'Work & Ä'
    await api.updateMessages([id], { addLabels: [work] }, signal)
    expect((await api.getMessage(id, {}, signal)).labels).toContain(work)
    await api.updateMessages([id], { removeLabels: [work], addLabels: [] }, signal)
    expect((await api.getMessage(id, {}, signal)).labels).not.toContain(work)
    if (!isLabels) {
      await api.updateMessages([id], { setLabels: ['b', 'c'] }, signal)
      expect((await api.getMessage(id, {}, signal)).labels.sort()).toEqual(['b', 'c'])
      return
    }
    const sent = await folderOf(api, '\\Sent')
    const update = (change: object) => api.updateMessages([id], change, signal)
    await expect(update({ setLabels: [work] })).rejects.toMatchObject({
      failure: 'unsupported-operation',
      code: 'UnsupportedOperation',
    })
    await expect(update({ addLabels: ['Label_404'] })).rejects.toMatchObject({
      failure: 'label-missing',
    })
    await expect(update({ addLabels: [sent.id] })).rejects.toMatchObject({ failure: 'refused' })
  })

  test('moveMessages: moves between folders, keeps flags, reports missing ones', async () => {
    await using environment = await create()
    const { api } = environment
    const inbox = await folderOf(api, '\\Inbox')
    const target = await api.createFolder({ name: 'Archiv 2026' }, signal)
    const id = await environment.deliver(mail('a'))
    const [missing = ''] = environment.ids
    const move = { to: target.id, from: inbox.id }
    const moved = await api.moveMessages([id, missing], move, signal)
    expect(moved.missing).toEqual([missing])
    const newId = moved.newIds.get(id) ?? id
    expect(await isIn(api, newId, target.id)).toBe(true)
    expect(await isIn(api, newId, inbox.id)).toBe(false)
    expect(await api.getMessage(newId, {}, signal)).toMatchObject({ unseen: true })
    await expect(
      api.moveMessages([newId], { to: 'Label_404', from: target.id }, signal),
    ).rejects.toMatchObject({ failure: 'folder-missing', code: 'FolderNotFound' })
    if (api.traits.placement === 'labels')
      await expect(api.moveMessages([newId], { to: inbox.id }, signal)).rejects.toMatchObject({
        failure: 'unsupported-operation',
      })
  })

  test('trashMessages and removeMessages: trash first, then delete permanently', async () => {
    await using environment = await create()
    const { api } = environment
    const [inbox, trash] = [await folderOf(api, '\\Inbox'), await folderOf(api, '\\Trash')]
    const id = await environment.deliver(mail('a'))
    const { newIds } = await api.trashMessages([id], signal)
    const trashed = newIds.get(id) ?? id
    expect(await isIn(api, trashed, trash.id)).toBe(true)
    expect(await isIn(api, trashed, inbox.id)).toBe(false)
    const removal = api.removeMessages([trashed], signal)
    if (!api.traits.removes) {
      await expect(removal).rejects.toMatchObject({ failure: 'unsupported-operation' })
      return
    }
    expect(await removal).toEqual({ missing: [] })
    await expect(api.getMessage(trashed, {}, signal)).rejects.toMatchObject({
      failure: 'message-missing',
    })
    await api.removeMessages([trashed], signal)
  })

  test('appendMessage: stores a draft, other messages if the provider permits them', async () => {
    await using environment = await create()
    const { api } = environment
    const drafts = await folderOf(api, '\\Drafts')
    const content = Buffer.from(mail('draft'))
    const { id } = await api.appendMessage(content, { folderId: drafts.id, draft: true }, signal)
    expect(await api.getMessage(id, {}, signal)).toMatchObject({
      draft: true,
      envelope: { subject: 'draft' },
    })
    expect(await isIn(api, id, drafts.id)).toBe(true)
    const missing = api.appendMessage(content, { folderId: 'Label_404', draft: true }, signal)
    await expect(missing).rejects.toMatchObject({ failure: 'folder-missing' })
    const inbox = await folderOf(api, '\\Inbox')
    const upload = api.appendMessage(content, { folderId: inbox.id, unseen: true }, signal)
    if (api.traits.appends === 'drafts')
      await expect(upload).rejects.toMatchObject({ failure: 'unsupported-operation' })
    else expect(await api.getMessage((await upload).id, {}, signal)).toMatchObject({ unseen: true })
  })

  test('folders: create, rename with children, delete', async () => {
    await using environment = await create()
    const { api } = environment
    const parent = await api.createFolder({ name: 'Projekte ✉' }, signal)
    const child = await api.createFolder({ name: 'Alpha', parentId: parent.id }, signal)
    expect(child).toMatchObject({ path: ['Projekte ✉', 'Alpha'], editable: true })
    const pathOf = async (id: string) =>
      (await api.folders(signal)).find((folder) => folder.id === id)?.path
    await expect(api.createFolder({ name: 'projekte ✉' }, signal)).rejects.toMatchObject({
      failure: 'folder-exists',
      kind: environment.passesStatus ? expect.stringMatching(/provider|rejected/) : 'rejected',
    })
    const renamed = await api.renameFolder(parent.id, { name: 'Jobs' }, signal)
    expect(renamed).toMatchObject({ id: parent.id, path: ['Jobs'] })
    expect(await pathOf(child.id)).toEqual(['Jobs', 'Alpha'])
    const place = { name: 'Alpha', parentId: parent.id }
    if (api.traits.placement === 'folder')
      expect(await api.folderPlace?.(child.id, signal)).toEqual(place)
    await api.renameFolder(child.id, { name: 'Beta', parentId: null }, signal)
    expect(await pathOf(child.id)).toEqual(['Beta'])
    await api.deleteFolder(child.id, signal)
    expect(await pathOf(child.id)).toBeUndefined()
    const missing = { failure: 'folder-missing', code: 'FolderNotFound' }
    await expect(api.deleteFolder(child.id, signal)).rejects.toMatchObject(missing)
    await expect(api.renameFolder(child.id, { name: 'x' }, signal)).rejects.toMatchObject(missing)
    await expect(api.folderCounts(child.id, signal)).rejects.toMatchObject(missing)
    if (api.traits.placement === 'folder')
      await expect(api.folderPlace?.(child.id, signal)).rejects.toMatchObject(missing)
    const orphan = api.createFolder({ name: 'x', parentId: child.id }, signal)
    await expect(orphan).rejects.toMatchObject(missing)
    const inbox = await folderOf(api, '\\Inbox')
    expect(inbox.editable).toBe(false)
    await expect(api.deleteFolder(inbox.id, signal)).rejects.toMatchObject({ failure: 'refused' })
  })

  test('folderCounts: counts messages and unseen ones', async () => {
    await using environment = await create()
    const { api } = environment
    const inbox = await folderOf(api, '\\Inbox')
    expect(await api.folderCounts(inbox.id, signal)).toEqual({ messages: 0, unseen: 0 })
    await environment.deliver(mail('a'))
    await environment.deliver(mail('b'), { unseen: false })
    expect(await api.folderCounts(inbox.id, signal)).toEqual({ messages: 2, unseen: 1 })
  })
}
