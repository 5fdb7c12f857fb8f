/**
 * Saves bytes as a file of the person. The file has no media type, so that no browser opens it as a
 * page.
 */
export function saveFile(content: BlobPart, name: string): void {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(new Blob([content], { type: 'application/octet-stream' }))
  link.download = name
  link.click()
  URL.revokeObjectURL(link.href)
}
