# A file system without case and with the short names of FAT, over a folder: caseless.py FOLDER PLACE
import errno
import os
import re
import sys

from fusepy import FUSE, FuseOSError, Operations


def short(name):
    base, dot, extension = name.rpartition('.')
    if not dot:
        base, extension = name, ''
    plain = re.fullmatch(r'[A-Za-z0-9_-]{1,8}', base) and re.fullmatch(r'[A-Za-z0-9]{0,3}', extension)
    if plain:
        return name.upper()
    kept = re.sub(r'[^A-Z0-9_-]', '', base.upper())[:6]
    return kept + '~1' + ('.' + extension[:3].upper() if extension else '')


class Caseless(Operations):
    def __init__(self, root):
        self.root = root

    def at(self, path):
        found = self.root
        for name in path.strip('/').split('/'):
            if name == '':
                continue
            names = os.listdir(found) if os.path.isdir(found) else []
            same = [n for n in names if n.lower() == name.lower() or short(n) == name.upper()]
            found = os.path.join(found, same[0] if same else name)
        return found

    def getattr(self, path, fh=None):
        try:
            found = os.lstat(self.at(path))
        except FileNotFoundError:
            raise FuseOSError(errno.ENOENT)
        keys = ('st_mode', 'st_nlink', 'st_size', 'st_uid', 'st_gid', 'st_mtime', 'st_ctime', 'st_atime')
        return {key: getattr(found, key) for key in keys}

    def readdir(self, path, fh):
        return ['.', '..'] + os.listdir(self.at(path))

    def open(self, path, flags):
        return os.open(self.at(path), flags)

    def create(self, path, mode, fi=None):
        return os.open(self.at(path), os.O_RDWR | os.O_CREAT | os.O_TRUNC, mode)

    def read(self, path, size, offset, fh):
        return os.pread(fh, size, offset)

    def write(self, path, data, offset, fh):
        return os.pwrite(fh, data, offset)

    def truncate(self, path, length, fh=None):
        os.truncate(self.at(path), length)

    def unlink(self, path):
        os.unlink(self.at(path))

    def rename(self, old, new):
        os.rename(self.at(old), self.at(new))

    def mkdir(self, path, mode):
        os.mkdir(self.at(path), mode)

    def rmdir(self, path):
        os.rmdir(self.at(path))

    def chmod(self, path, mode):
        os.chmod(self.at(path), mode)

    def utimens(self, path, times=None):
        os.utime(self.at(path), times)

    def release(self, path, fh):
        os.close(fh)

    def fsync(self, path, datasync, fh):
        os.fsync(fh)


FUSE(Caseless(sys.argv[1]), sys.argv[2], foreground=True, nothreads=True)
