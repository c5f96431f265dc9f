//===- AtomicFileTest.cpp - Files that are whole or not there *- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A limit on the size of files stands in for a full disk: a write fails in the
// middle, as it would there.
//
//===----------------------------------------------------------------------===//

#include "nlp/Support/AtomicFile.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "gtest/gtest.h"
#include <csignal>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace nlp;

namespace {
/// A folder of its own for each test.
class AtomicFileTest : public testing::Test {
protected:
  void SetUp() override {
    ASSERT_FALSE(llvm::sys::fs::createUniqueDirectory("atomic", folder));
  }
  void TearDown() override { llvm::sys::fs::remove_directories(folder); }

  std::string path(llvm::StringRef name) {
    llvm::SmallString<128> full(folder);
    llvm::sys::path::append(full, name);
    return full.str().str();
  }

  /// Names in the folder, hidden ones included.
  int countFiles() {
    int count = 0;
    std::error_code error;
    for (llvm::sys::fs::directory_iterator file(folder, error), end;
         !error && file != end; file.increment(error))
      ++count;
    return count;
  }

  llvm::SmallString<128> folder;
};

/// Lowers the largest size of a file for as long as it lives.
class FileSizeLimit {
public:
  explicit FileSizeLimit(rlim_t bytes) {
    signal(SIGXFSZ, SIG_IGN);
    getrlimit(RLIMIT_FSIZE, &old);
    rlimit lower = old;
    lower.rlim_cur = bytes;
    setrlimit(RLIMIT_FSIZE, &lower);
  }
  ~FileSizeLimit() { setrlimit(RLIMIT_FSIZE, &old); }

private:
  rlimit old;
};
} // namespace

static std::string message(llvm::Error error) {
  return error ? llvm::toString(std::move(error)) : "";
}

static std::string contents(const std::string &path) {
  return llvm::cantFail(readFile(path, 1 << 20));
}

TEST_F(AtomicFileTest, WritesAndReplaces) {
  EXPECT_EQ(message(writeFileAtomically(path("a"), "one")), "");
  EXPECT_EQ(contents(path("a")), "one");
  chmod(path("a").c_str(), 0640);
  EXPECT_EQ(message(writeFileAtomically(path("a"), "two")), "");
  EXPECT_EQ(contents(path("a")), "two");
  struct stat status;
  stat(path("a").c_str(), &status);
  EXPECT_EQ(status.st_mode & 0777, 0640u);
  EXPECT_EQ(countFiles(), 1);
}

TEST_F(AtomicFileTest, LeavesNothingWithoutCommit) {
  {
    AtomicFile file = llvm::cantFail(AtomicFile::create(path("a")));
    EXPECT_EQ(message(file.write("half")), "");
    EXPECT_EQ(countFiles(), 1);
  }
  EXPECT_EQ(countFiles(), 0);
}

TEST_F(AtomicFileTest, KeepsTheOldFileWhenTheDiskIsFull) {
  ASSERT_EQ(message(writeFileAtomically(path("a"), "old")), "");
  {
    FileSizeLimit limit(1000);
    EXPECT_EQ(message(writeFileAtomically(path("a"), std::string(5000, 'x'))),
              path("a") + ": could not write: File too large");
  }
  EXPECT_EQ(contents(path("a")), "old");
  EXPECT_EQ(countFiles(), 1);
}

TEST_F(AtomicFileTest, ReportsAFullDevice) {
  if (access("/dev/full", W_OK) != 0)
    GTEST_SKIP() << "no /dev/full here";
  EXPECT_EQ(message(writeFileAtomically("/dev/full", "x")),
            "/dev/full: could not write: No space left on device");
  EXPECT_EQ(message(writeFileAtomically("/dev/null", "x")), "");
  struct stat status;
  stat("/dev/null", &status);
  EXPECT_TRUE(S_ISCHR(status.st_mode));
}

TEST_F(AtomicFileTest, FollowsLinks) {
  ASSERT_EQ(message(writeFileAtomically(path("a"), "old")), "");
  ASSERT_EQ(symlink(path("a").c_str(), path("b").c_str()), 0);
  EXPECT_EQ(message(writeFileAtomically(path("b"), "new")), "");
  EXPECT_EQ(contents(path("a")), "new");
  EXPECT_TRUE(llvm::sys::fs::is_symlink_file(path("b")));
}

TEST_F(AtomicFileTest, ReportsWhereItCannotWrite) {
  EXPECT_EQ(message(writeFileAtomically(path("no/such/a"), "x")),
            path("no/such/a") + ": could not write: No such file or directory");
  EXPECT_EQ(message(writeFileAtomically(folder, "x")),
            folder.str().str() + ": could not write: Is a directory");
}

TEST_F(AtomicFileTest, LimitsWhatIsRead) {
  ASSERT_EQ(message(writeFileAtomically(path("a"), std::string(100, 'x'))), "");
  EXPECT_EQ(llvm::cantFail(readFile(path("a"), 100)).size(), 100u);
  EXPECT_EQ(message(readFile(path("a"), 99).takeError()),
            path("a") + ": expected at most 99B, but the file is larger");
  EXPECT_NE(message(readFile("/dev/zero", 1000).takeError()), "");
}
