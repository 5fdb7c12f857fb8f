/**
 * Saves bytes as a file of the person. No browser opens the file as a page, because of its media
 * type.
 */
export function saveFile(content: BlobPart, name: string): void {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(new Blob([content], { type: 'application/octet-stream' }))
  link.download = name
  link.click()
  URL.revokeObjectURL(link.href)
}
