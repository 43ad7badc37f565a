/**
 * Schemes that no app of a client's own can have: a browser or a system acts on them itself, or a
 * well-known protocol or program does. A grant code sent there would run script, open files,
 * start a tool with a text of the sender's choice, or reach a receiver that nobody knows.
 */
const TAKEN: ReadonlySet<string> = new Set([
  // Browsers: script, documents made of text, their own pages.
  ...['about', 'blob', 'cid', 'data', 'feed', 'filesystem', 'intent', 'jar', 'javascript'],
  ...['livescript', 'mhtml', 'mid', 'mocha', 'resource', 'vbscript', 'view-source', 'wyciwyg'],
  ...['brave', 'chrome', 'edge', 'opera', 'vivaldi', 'x-javascript'],
  // Systems: files, shells, help, search, settings, shops, calls.
  ...['android-app', 'app-prefs', 'applescript', 'callto', 'content', 'file'],
  ...['facetime', 'facetime-audio', 'hcp', 'help', 'its', 'itms', 'itms-apps', 'itms-services'],
  ...['jnlp', 'jnlps', 'launch', 'ldap', 'ldaps', 'macappstore', 'mailto', 'market', 'mk'],
  ...['mms', 'prefs', 'res', 'search', 'shell', 'shortcuts', 'sms', 'smsto', 'tel', 'wtai'],
  ...['windowsdefender', 'onenote', 'onenote-cmd', 'wscript', 'cscript', 'powershell'],
  // Protocols: what listens there is no client.
  ...[
    'afp',
    'bitcoin',
    'cifs',
    'coap',
    'coaps',
    'dav',
    'davs',
    'dict',
    'dns',
    'ftp',
    'ftps',
    'geo',
  ],
  ...['git', 'gopher', 'http', 'https', 'imap', 'imaps', 'info', 'ipfs', 'ipp', 'ipps', 'irc'],
  ...['ircs', 'magnet', 'mqtt', 'mqtts', 'news', 'nfs', 'nntp', 'pop', 'rdp', 'rlogin', 'rsync'],
  ...['rtmp', 'rtsp', 'rtsps', 'scp', 'sftp', 'sip', 'sips', 'smb', 'snmp', 'ssh', 'stun', 'svn'],
  ...[
    'tag',
    'telnet',
    'tftp',
    'tn3270',
    'turn',
    'udp',
    'urn',
    'vnc',
    'webcal',
    'ws',
    'wss',
    'xmpp',
  ],
  // Programs whose handlers take commands.
  ...[
    'cursor',
    'idea',
    'skype',
    'slack',
    'steam',
    'teamviewer8',
    'tg',
    'vscode',
    'vscode-insiders',
  ],
  ...['webex', 'zoommtg', 'zoomus'],
  // Software shops and package managers, which install what they are told.
  ...['appstream', 'apt', 'apturl', 'brew', 'choco', 'deb', 'flatpak', 'pacman', 'rpm', 'snap'],
  ...['winget', 'yum'],
  // Places that file managers open.
  ...['admin', 'applications', 'archive', 'burn', 'computer', 'desktop', 'fish', 'fonts', 'ghelp'],
  ...['gphoto2', 'man', 'mtp', 'network', 'programs', 'recent', 'remote', 'settings', 'trash'],
  // Terminals, remote desktops, editors and tools of developers.
  ...['anydesk', 'citrix', 'ica', 'kitty', 'mosh', 'nx', 'nxs', 'parsec', 'receiver', 'rustdesk'],
  ...['securecrt', 'spice', 'android-studio', 'atom', 'clion', 'code-oss', 'emacs', 'fleet'],
  ...['goland', 'jetbrains', 'mvim', 'org-protocol', 'phpstorm', 'pycharm', 'rider', 'rubymine'],
  ...['sourcetree', 'subl', 'sublime', 'txmt', 'vscodium', 'webstorm', 'windsurf', 'xcode', 'zed'],
  // Talk, games, notes, secrets and money.
  ...['bluejeans', 'ciscotel', 'discord', 'fb-messenger', 'gtalk', 'im', 'line', 'lync', 'mumble'],
  ...['pres', 'sgnl', 'signal', 'telegram', 'viber', 'wechat', 'weixin', 'whatsapp', 'battlenet'],
  ...['minecraft', 'origin', 'origin2', 'roblox', 'uplay', 'unityhub', 'evernote', 'notion'],
  ...['obsidian', 'spotify', 'bitwarden', 'keepassxc', 'lastpass', 'onepassword', 'alipay'],
  ...['alipays', 'cashapp', 'dogecoin', 'ed2k', 'ethereum', 'lightning', 'litecoin', 'monero'],
  ...['paypal', 'upi', 'venmo'],
])

/** Families of the same: every scheme that begins so belongs to a system or a browser. */
const TAKEN_FAMILIES = [
  ...['ms-', 'microsoft-', 'search-', 'windows-', 'x-', 'com.apple.', 'com.microsoft.'],
  ...['chrome-', 'edge-', 'moz-', 'safari-', 'opera-', 'view-', 'itms', 'apple-', 'android-'],
  // Programs that have a scheme for each version, protocol or act.
  ...[
    'citrix',
    'docker',
    'github-',
    'gitkraken',
    'gotomeeting',
    'gotoopener',
    'iterm',
    'jetbrains-',
    'msteams',
  ],
  ...['otpauth', 'putty', 'roblox-', 'skype-', 'steam-', 'teamviewer', 'vmrc', 'vmware', 'vscode-'],
  ...['webex', 'winscp', 'zoom'],
]

/** Whether a scheme, in small letters and without its colon, can be the private one of an app. */
export function isAppScheme(scheme: string): boolean {
  // With a plus, one protocol is carried in another (git+ssh, flatpak+https), or a browser's page is meant (web+x).
  if (scheme.includes('+') || TAKEN.has(scheme)) return false
  return !TAKEN_FAMILIES.some((family) => scheme.startsWith(family))
}
