import { expect, test } from '@jest/globals'
import { maxSmallBytes, maxTogetherBytes, smallAttachments } from './attachment-contents.ts'

test('smallAttachments: leaves out large attachments', () => {
  const attachments = [{ size: 1 }, { size: maxSmallBytes + 1 }, { size: maxSmallBytes }]
  expect(smallAttachments(attachments)).toEqual([{ size: 1 }, { size: maxSmallBytes }])
})

test('smallAttachments: 1,000 attachments of 128 KiB, selects 4 MiB', () => {
  const attachments = Array.from({ length: 1_000 }, () => ({ size: maxSmallBytes }))
  expect(smallAttachments(attachments)).toHaveLength(maxTogetherBytes / maxSmallBytes)
})
