export { checkFileName } from './file-name.ts'
export { type FileRecord, fileUrl, readFileRecord, writeFileRecord } from './file-record.ts'
