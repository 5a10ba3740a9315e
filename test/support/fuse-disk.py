"""A disk in user space for tests: it shows the folder SOURCE at PLACE, and does as it is told on
standard input, a JSON object a line: {"hangs": true}, {"delayMs": 30}, {"fail": {"errno": "EIO",
"from": 5, "calls": 1}} (changes are counted from 1 on, anew with each "fail"). Each line is answered by
the number of changes asked for so far.
"""
import errno
import json
import os
import sys
import threading
import time

try:
    from fusepy import FUSE, FuseOSError, Operations
except ImportError:
    from fuse import FUSE, FuseOSError, Operations


class Control:
    def __init__(self):
        self.wake = threading.Condition()
        self.hangs = False
        self.delay = 0.0
        self.fail = None
        self.changes = 0

    def obey(self, words):
        with self.wake:
            self.hangs = words.get('hangs', self.hangs)
            self.delay = words.get('delayMs', self.delay * 1000) / 1000
            changes = self.changes
            if 'fail' in words:
                self.fail = words['fail']
                self.changes = 0
            self.wake.notify_all()
            return changes

    def meet(self, is_change):
        with self.wake:
            while self.hangs:
                self.wake.wait()
            if is_change:
                self.changes += 1
                fail = self.fail
                if fail and 0 <= self.changes - fail['from'] < fail['calls']:
                    raise FuseOSError(getattr(errno, fail['errno']))
            delay = self.delay
        if delay:
            time.sleep(delay)


CONTROL = Control()
CHANGES = ['chmod', 'chown', 'create', 'link', 'mkdir', 'rename', 'rmdir', 'symlink', 'truncate']
CHANGES += ['unlink', 'utimens', 'write', 'fsync', 'fsyncdir']
STAT = ['st_atime', 'st_ctime', 'st_gid', 'st_mode', 'st_mtime', 'st_nlink', 'st_size', 'st_uid']
STAT += ['st_ino', 'st_blocks']
STATVFS = ['f_bavail', 'f_bfree', 'f_blocks', 'f_bsize', 'f_favail', 'f_ffree', 'f_files', 'f_frsize']
STATVFS += ['f_namemax']


def facts(stats):
    return {key: getattr(stats, key) for key in STAT}


class Disk(Operations):
    def __init__(self, source):
        self.source = source

    def __call__(self, op, path, *args):
        CONTROL.meet(op in CHANGES)
        if not hasattr(self, op):
            raise FuseOSError(errno.ENOSYS)
        try:
            return getattr(self, op)(self.source + path if path else path, *args)
        except OSError as error:
            raise FuseOSError(error.errno)

    def init(self, _):
        pass

    def destroy(self, _):
        pass

    def getattr(self, path, fh=None):
        return facts(os.fstat(fh) if fh else os.lstat(path))

    def readdir(self, path, fh):
        yield '.', None, 0
        yield '..', None, 0
        for entry in os.scandir(path):
            yield entry.name, facts(entry.stat(follow_symlinks=False)), 0

    def opendir(self, path):
        return 0

    def releasedir(self, path, fh):
        return 0

    def readlink(self, path):
        return os.readlink(path)

    def statfs(self, path):
        stats = os.statvfs(path)
        return {key: getattr(stats, key) for key in STATVFS}

    def open(self, path, flags):
        return os.open(path, flags)

    def create(self, path, mode, fi=None):
        return os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, mode)

    def read(self, path, length, offset, fh):
        return os.pread(fh, length, offset)

    def write(self, path, buf, offset, fh):
        return os.pwrite(fh, buf, offset)

    def truncate(self, path, length, fh=None):
        os.truncate(path if fh is None else fh, length)

    def flush(self, path, fh):
        return 0

    def release(self, path, fh):
        os.close(fh)

    def fsync(self, path, datasync, fh):
        os.fsync(fh)

    def chmod(self, path, mode):
        os.chmod(path, mode)

    def chown(self, path, uid, gid):
        os.chown(path, uid, gid)

    def link(self, target, source):
        os.link(self.source + source, target)

    def symlink(self, target, source):
        os.symlink(source, target)

    def mkdir(self, path, mode):
        os.mkdir(path, mode)

    def rmdir(self, path):
        os.rmdir(path)

    def rename(self, old, new):
        os.rename(old, self.source + new)

    def unlink(self, path):
        os.unlink(path)

    def utimens(self, path, times=None):
        os.utime(path, times)

    def access(self, path, mode):
        return 0


def obey_lines():
    for line in sys.stdin:
        print(CONTROL.obey(json.loads(line)), flush=True)
    # Whoever started us is gone: what waits must end, or nobody can unmount.
    CONTROL.obey({'hangs': False})


if __name__ == '__main__':
    threading.Thread(target=obey_lines, daemon=True).start()
    options = {'attr_timeout': 0, 'entry_timeout': 0, 'default_permissions': True, 'allow_other': True}
    FUSE(Disk(sys.argv[1]), sys.argv[2], foreground=True, **options)
